// Decides what a model is for: the objective its data calls for, the moments it is asked at, and the questions that stand for
// them. Then deals the questions out: some fit, some choose, and some only measure what is reported.
import type { ScoringName } from '../artifact/g1-model.ts';
import type { EventTable } from '../dataset/event-table.ts';
import { type HeldOut, holdOut, type Question, type QuestionKind } from '../dataset/questions.ts';
import { hash32, sampleOf } from '../dataset/random.ts';
import { type RepeatConsumption, repeatConsumption } from '../dataset/repeat-consumption.ts';
import type { AlgorithmParameters } from '../domain/algorithm-parameters.ts';
import type { Moment } from '../history/moment.ts';
import { type TimeScale, timeScaleOf, visitGapMs } from '../history/visits.ts';

export type { Moment };
export type Horizon = NonNullable<AlgorithmParameters['horizon']>;

export interface MomentQuestions {
  readonly moment: Moment;
  readonly kind: QuestionKind;
  readonly fit: readonly Question[];
  readonly choose: readonly Question[];
  readonly report: readonly Question[];
}

/** Questions of a scoring, and what may be recommended in them. */
export interface ScoringQuestions extends Omit<MomentQuestions, 'moment'> {
  readonly moment: ScoringName;
  readonly objective: 'discover' | 'any';
}

export interface QuestionPlan {
  readonly scale: TimeScale;
  readonly gapMs: number;
  readonly repeats: RepeatConsumption;
  readonly objective: 'discover' | 'any';
  readonly horizon: Horizon | 'auto';
  readonly hidden: Uint8Array;
  /** the first is the one figures are reported for; empty when nothing can be held out */
  readonly moments: readonly MomentQuestions[];
}

/** Of each moment at most this many questions fit, choose and report, with histories of this many events in all. */
const FIT = { questions: 9000, events: 600_000 };
const CHOOSE = { questions: 3000, events: 300_000 };
const REPORT = { questions: 3000, events: 300_000 };
/** A second moment needs this many questions, and this share of the other's. */
const MIN_MOMENT_QUESTIONS = 100;
const MIN_MOMENT_SHARE = 0.2;

export function planQuestions(
  table: EventTable,
  parameters: AlgorithmParameters,
  options: { users: Uint32Array | undefined; seed: number },
): QuestionPlan {
  const scale = timeScaleOf(table.ts, table.userOffsets);
  const gapMs = visitGapMs(scale);
  const repeats = repeatConsumption(table, scale);
  const returns = parameters.repeats === undefined ? repeats.genuine : parameters.repeats === 'recommend';
  const objective = returns ? 'any' : 'discover';
  const horizon = parameters.horizon ?? 'auto';
  const kinds = kindsOf(scale, horizon);
  const held = holdOut(table, { objective, kinds, gapMs, seed: options.seed });
  const among = options.users === undefined ? null : new Set(options.users);
  const asked = (kind: QuestionKind) =>
    among === null ? held.questions[kind] : held.questions[kind].filter(({ user }) => among.has(user));
  return {
    ...{ scale, gapMs, repeats, objective, horizon, hidden: held.hidden },
    moments: momentsOf(kinds, asked, table.userOffsets, options.seed),
  };
}

/** The questions of all scorings: where users come back to items, what is new to them is asked for by itself too. */
export function allQuestions(table: EventTable, { moments, objective }: QuestionPlan): ScoringQuestions[] {
  const asked: ScoringQuestions[] = moments.map((questions) => ({ ...questions, objective }));
  if (objective === 'discover') return asked;
  for (const [n, { kind, fit, choose, report }] of moments.entries()) {
    if (kind === 'fifth') continue;
    const [newToFit, newToChoose, newToReport] = [fit, choose, report].map((own) => withUntouched(table, own));
    const parts = { fit: newToFit, choose: newToChoose, report: newToReport };
    if (parts.fit.length + parts.choose.length < MIN_MOMENT_QUESTIONS) continue;
    asked.push({ moment: n === 0 ? 'discovering' : 'discovering_browsing', kind, objective: 'discover', ...parts });
  }
  return asked;
}

/** The questions with those of their targets that the user had never touched; without any, a question is left out. */
export function withUntouched<Q extends Question>(table: EventTable, questions: readonly Q[]): Q[] {
  return questions.flatMap((question) => {
    const touched = new Set(table.item.subarray(table.userOffsets[question.user], question.end));
    const targets = question.targets.filter((item) => !touched.has(item));
    return targets.length > 0 ? [{ ...question, targets }] : [];
  });
}

/** With visits a user is asked on arriving and while browsing; an order alone has next items, and no order a random fifth. */
function kindsOf(scale: TimeScale, horizon: Horizon | 'auto'): QuestionKind[] {
  if (scale === 'set') return ['fifth'];
  if (horizon === 'later' || horizon === 'arriving') return ['arriving'];
  if (horizon === 'browsing' || scale === 'order') return ['next'];
  return ['arriving', 'browsing'];
}

function momentsOf(
  kinds: readonly QuestionKind[],
  asked: (kind: QuestionKind) => HeldOut['questions'][QuestionKind],
  userOffsets: Uint32Array,
  seed: number,
): MomentQuestions[] {
  const most = Math.max(...kinds.map((kind) => asked(kind).length));
  const least = kinds.length === 1 ? 1 : Math.max(MIN_MOMENT_QUESTIONS, MIN_MOMENT_SHARE * most);
  const enough = kinds.filter((kind) => asked(kind).length >= least);
  // Too few of either: the one there is more of.
  const used = enough.length > 0 ? enough : kinds.filter((kind) => asked(kind).length === most && most > 0).slice(0, 1);
  return used.map((kind) => ({
    moment: kind === 'browsing' || kind === 'next' ? 'browsing' : 'arriving',
    kind,
    ...dealt(asked(kind), userOffsets, seed),
  }));
}

/** By user, so that no user both fits and measures: a quarter measures, a quarter chooses. */
function dealt(
  questions: readonly Question[],
  userOffsets: Uint32Array,
  seed: number,
): Pick<MomentQuestions, 'fit' | 'choose' | 'report'> {
  const roleOf = ({ user }: Question) => hash32(seed ^ 0x2545f491, user) % 4;
  const some = (isRole: (role: number) => boolean, most: { questions: number; events: number }) => {
    const wanted = questions.filter((question) => isRole(roleOf(question)));
    const drawn = sampleOf([...wanted.keys()], most.questions, seed).map((n) => wanted[n]);
    let events = 0;
    return drawn.filter(({ user, end }, n) => {
      events += end - userOffsets[user];
      return n === 0 || events <= most.events;
    });
  };
  return {
    fit: some((role) => role > 1, FIT),
    choose: some((role) => role === 1, CHOOSE),
    report: some((role) => role === 0, REPORT),
  };
}
