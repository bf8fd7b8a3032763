// The result of a querying job as files: what every form has in common, and the sentence about it.
import { groupDigits, percent } from '../charts/svg.ts';
import type { Condition } from '../validate.ts';
import { pairInWords, type UsagePair } from './usage-pairs.ts';

/** What stands at the head of the JSON of every result. */
export interface ResultHead {
  readonly job_id: string;
  readonly project_id: string;
  readonly model_id: string;
  /** when the result was made, milliseconds */
  readonly created_ts: number;
  /** users looked at: those of the user dataset and those with events */
  readonly total_users: number;
  /** of them, users with neither events nor telling attributes: they get the population's distribution */
  readonly population_users: number;
}

/** Mean predicted usage against the observed share, on events the prediction did not see. */
export interface PairCalibration {
  readonly predicted: number;
  readonly observed: number;
  /** |predicted − observed| */
  readonly error: number;
  /** the same in each tenth of the users, by predicted usage, lowest first */
  readonly tenths: readonly { predicted: number; observed: number }[];
  /** mean over the tenths of |predicted − observed| */
  readonly error_by_tenth: number;
}

export interface CalibrationReport {
  /** where the observed events come from */
  readonly method: string;
  readonly users: number;
  /** one a pair, null when there is nothing to compare with */
  readonly pairs: readonly (PairCalibration | null)[];
}

/** The attribute values of a query that no listed item has. */
export function missingNote(missing: readonly UsagePair[]): string | null {
  return missing.length === 0 ? null : `No item has ${missing.map(pairInWords).join(' or ')}.`;
}

export function conditionInWords(condition: Condition): string {
  const { lower_bound: lower, upper_bound: upper } = condition;
  const what = `usage of ${pairInWords(condition)}`;
  if (lower !== null && upper !== null) return `${what} from ${percent(lower)} to ${percent(upper)}`;
  if (lower !== null) return `${what} at least ${percent(lower)}`;
  if (upper !== null) return `${what} at most ${percent(upper)}`;
  return `any ${what}`;
}

/** `1, 2 and 3`, the first few of them. */
export function enumerate(parts: readonly string[], most = 5): string {
  const shown = parts.slice(0, most);
  if (parts.length > most) return `${shown.join(', ')} and ${groupDigits(parts.length - most)} more`;
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} and ${shown[shown.length - 1]}`;
}

/** What is wrong with which query, for `message`. */
export function notesInWords(notes: readonly (string | null)[]): string {
  const empty = notes.flatMap((note, index) => (note === null ? [] : [{ note, number: index + 1 }]));
  if (empty.length === 0) return '';
  if (notes.length === 1) return ` ${empty[0].note}`;
  const named = empty.map(({ number }) => String(number));
  return ` ${empty[0].note} ${empty.length === 1 ? 'Query' : 'Queries'} ${enumerate(named)} found nothing for this reason.`;
}

/** Members of an object up to `members`, left open, so that a long member can be streamed behind them. */
export function openObject(members: object): string {
  const text = JSON.stringify(members);
  return text === '{}' ? '{' : `${text.slice(0, -1)},`;
}
