// Describes a figure of a model in a sentence, for the console and the command line.
import type { ModelFigures, ModelMeasure } from './model-figures.ts';

const WANTED = {
  discover: 'something new to the user that they then took',
  continue: 'something the user was not done with and then took',
  again: 'something the user had before and took again',
  any: 'something the user then took',
} as const;

const ASKED = {
  'next visits': 'returning users',
  'next item': 'next items',
  'random fifth': 'users with a hidden fifth of their items',
} as const;

const whole = (share: number): string => Math.round(1000 * share).toLocaleString('en-US');

type AskedMeasure = Pick<ModelMeasure, 'objective' | 'moment' | 'asked_for'>;

/** Returns a name such as "discover, on arriving". */
export function questionName({ objective, moment, asked_for }: AskedMeasure): string {
  if (asked_for === 'random fifth') return `${objective}, without times`;
  return `${objective}, ${moment === 'arriving' ? 'on arriving' : 'while browsing'}`;
}

/** "Of 1,000 returning users, for 214 (190 to 240) the list of 10 held something …" */
export function measureSentence(measure: ModelMeasure, cutoff: number): string {
  const { hit_rate: between } = measure.intervals;
  const held = `${whole(measure.model.hit_rate ?? 0)} (${whole(between[0])} to ${whole(between[1])})`;
  const asked = `Of 1,000 ${ASKED[measure.asked_for]}, for ${held} the list of ${cutoff} had ${WANTED[measure.objective]}`;
  return `${asked}${measure.days === undefined ? '' : `, within ${daysText(measure.days)}`}.`;
}

const daysText = (days: number): string => {
  const rounded = days < 3 ? Math.round(days * 10) / 10 : Math.round(days);
  return rounded === 1 ? 'a day' : `${rounded} days`;
};

/** The question a model's main figures are about; null in models of version 0.1.0, which did not say. */
export function mainQuestion(figures: Pick<ModelFigures, 'by_question'>): string | null {
  const [first] = figures.by_question ?? [];
  return first === undefined ? null : questionName(first);
}

/** Largest ratio of two held-out times that count as alike: what users take within a longer time is easier to find. */
const ALIKE_DAYS = 1.25;

/** Whether the main figures of all these are about the same question. Models without figures do not count. */
export function areComparable(all: readonly (Pick<ModelFigures, 'by_question'> | null)[]): boolean {
  const measured = all.filter((figures) => figures !== null);
  const questions = new Set(measured.map(mainQuestion));
  const days = measured.map((figures) => figures.by_question?.[0]?.days);
  const told = days.filter((own) => own !== undefined);
  const isAlike = told.length === 0 || Math.max(...told) <= ALIKE_DAYS * Math.min(...told);
  return questions.size <= 1 && (told.length === 0 || told.length === days.length) && isAlike;
}
