// Decides what a model is for: the objective its data calls for, the moments it is asked at, and the questions that stand for
// them. Then deals the questions out: some fit, some choose, and some only measure what is reported.
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

/** Of each moment at most this many questions fit, choose and report. */
const FIT_QUESTIONS = 9000;
const CHOOSE_QUESTIONS = 4000;
const REPORT_QUESTIONS = 4000;
/** A second moment needs this many questions, and this share of the other's. */
const MIN_MOMENT_QUESTIONS = 100;
const MIN_MOMENT_SHARE = 0.05;

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
    moments: momentsOf(kinds, asked, options.seed),
  };
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
    ...dealt(asked(kind), seed),
  }));
}

/** By user, so that no user both fits and measures. A quarter measures, a quarter chooses; of few all but those choose. */
function dealt(questions: readonly Question[], seed: number): Pick<MomentQuestions, 'fit' | 'choose' | 'report'> {
  const roleOf = ({ user }: Question) => hash32(seed ^ 0x2545f491, user) % 4;
  const some = (wanted: readonly Question[], count: number) => {
    const chosen = sampleOf([...wanted.keys()], count, seed);
    return chosen.map((n) => wanted[n]);
  };
  return {
    fit: some(
      questions.filter((question) => roleOf(question) > 1),
      FIT_QUESTIONS,
    ),
    choose: some(
      questions.filter((question) => roleOf(question) === 1),
      CHOOSE_QUESTIONS,
    ),
    report: some(
      questions.filter((question) => roleOf(question) === 0),
      REPORT_QUESTIONS,
    ),
  };
}
