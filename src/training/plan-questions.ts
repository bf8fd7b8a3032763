// Decides what a model is for: the objective its data calls for, the moments it is asked at, and the questions that represent
// them.
import type { ScoringName } from '../artifact/g1-model.ts';
import { DAY_MS } from '../base/durations.ts';
import { traced } from '../base/trace.ts';
import type { EventFacts } from '../dataset/event-facts.ts';
import type { EventTable } from '../dataset/event-table.ts';
import { nthSmallestOf, type ValuePass } from '../dataset/nth-smallest.ts';
import { type HeldOut, type HoldOutRules, holdOut, type Question, type QuestionKind } from '../dataset/questions.ts';
import { type RepeatConsumption, repeatConsumption } from '../dataset/repeat-consumption.ts';
import { type EventPart, type HiddenOf, perPart, type TrainingEvents } from '../dataset/training-events.ts';
import type { AlgorithmParameters } from '../domain/algorithm-parameters.ts';
import { DEFAULT_HISTORY_CAP } from '../history/history-rules.ts';
import type { Moment } from '../history/moment.ts';
import { type TimeScale, visitGapMs } from '../history/visits.ts';
import { type DealtQuestions, type DealtTo, dealQuestions } from './deal-questions.ts';

export type { Moment };
export type Horizon = NonNullable<AlgorithmParameters['horizon']>;

export interface MomentQuestions extends DealtQuestions {
  readonly moment: Moment;
  readonly kind: QuestionKind;
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
  /** number of newest days that are held out; null if events are not held out by date */
  readonly days: number | null;
  /** held-out events: of the sample in `hidden`, of any part of all events by `hiddenOf` */
  readonly hidden: Uint8Array;
  readonly hiddenOf: HiddenOf;
  /** the first is the one figures are reported for; empty when nothing can be held out */
  readonly moments: readonly MomentQuestions[];
}

/** Held out after a date: at most this share of the target events, and a month where these many users came back in it. */
const CUT_SHARE = 0.2;
const CUT_MS = 30 * DAY_MS;
const CUT_USERS = 6000;
/**
 * If users come back sooner, a shorter time is held out: until this share of them and at least this many are back, but
 * at least a week.
 */
const BACK_SHARE = 0.75;
const BACK_USERS = 500;
const LEAST_CUT_MS = 7 * DAY_MS;
/** A few events far in the future are not the newest. */
const NEARLY_ALL = 0.999;
const MIN_CUT_QUESTIONS = 100;
/** Users whose newest visits become questions. Of these, half fit, a quarter chooses and a quarter measures. */
const ASKED_USERS = 12_000;
/**
 * The same number for questions about the next item: with many items, only one in five targets is among the candidates
 * that teach a ranker.
 */
const ASKED_FOR_NEXT = 24_000;
/** If there are fewer questions after the date, the newest visits before it of other users are added. */
const ENOUGH_QUESTIONS = 400;
/**
 * To be used, a moment needs this many targets, and either enough questions or this share of the questions of the other
 * moment.
 */
const MIN_MOMENT_TARGETS = 100;
const MIN_MOMENT_SHARE = 0.2;
/** The second moment is also tested on new items from this many questions on. */
const MIN_NEW_QUESTIONS = 20;

/** `sample`: the events of the users who are asked; its users have their own numbers. */
export async function planQuestions(
  { events, sample, facts }: { events: TrainingEvents; sample: EventPart; facts: EventFacts },
  parameters: AlgorithmParameters,
  seed: number,
): Promise<QuestionPlan> {
  const { scale } = facts;
  const gapMs = visitGapMs(scale);
  const repeats = await repeatConsumption(events, scale);
  const returns = parameters.repeats === undefined ? repeats.genuine : parameters.repeats === 'recommend';
  const objective = returns ? 'any' : 'discover';
  const horizon = parameters.horizon ?? 'auto';
  const kinds = kindsOf(scale, horizon);
  const held = await traced('hold out', () =>
    chosenVisits({ events, sample, scale, horizon }, { objective, kinds, gapMs, seed }),
  );
  const { hidden, questions } = held.of(sample);
  return {
    scale,
    gapMs,
    repeats,
    objective,
    horizon,
    hidden,
    hiddenOf: (part: EventPart) => held.of(part).hidden,
    days: held.cutTs === null ? null : (facts.usualNewestTs - held.cutTs) / DAY_MS,
    moments: momentsOf(kinds, (kind) => questions[kind], {
      userOffsets: sample.userOffsets,
      seed,
      historyCap: parameters.history_cap ?? DEFAULT_HISTORY_CAP,
    }),
  };
}

interface AskedEvents {
  readonly events: TrainingEvents;
  readonly sample: EventPart;
  readonly scale: TimeScale;
  readonly horizon: Horizon | 'auto';
}

/**
 * Events held out of all events by some rules, part by part. Keeps the questions of the sample and only counts others.
 */
class HeldOutParts {
  readonly of: (part: EventPart) => HeldOut;
  readonly cutTs: number | null;
  readonly #events: TrainingEvents;

  constructor({ events, sample }: AskedEvents, rules: HoldOutRules) {
    this.#events = events;
    this.cutTs = rules.cutTs;
    this.of = perPart((part) => holdOut(part, part === sample ? rules : { ...rules, keeps: () => false }));
  }

  async arrivals(): Promise<number> {
    let count = 0;
    for await (const part of this.#events.parts()) count += this.of(part).asked.arriving;
    return count;
  }

  /** Whether at least half of the target events can be fitted on. */
  async leavesHalf(): Promise<boolean> {
    let [targets, held] = [0, 0];
    for await (const part of this.#events.parts()) {
      const { hidden } = this.of(part);
      for (let event = 0; event < part.length; event++) {
        if (part.type[event] !== part.targetType) continue;
        targets++;
        held += hidden[event];
      }
    }
    return held <= targets / 2;
  }
}

/**
 * With real times, everything after one date is held out, as in production. If hardly any users have events before and
 * after the date (users come and go), or most visits last beyond it (all came on one day), each user's newest visits are
 * held out instead.
 */
async function chosenVisits(asked: AskedEvents, rules: Omit<HoldOutRules, 'cutTs'>): Promise<HeldOutParts> {
  const { events, scale, horizon } = asked;
  // Users who are not needed to judge keep all events, so that experts are chosen on nearly the events they will be
  // fitted on.
  const askedUsers = rules.kinds.includes('next') ? ASKED_FOR_NEXT : ASKED_USERS;
  const askedShare = Math.min(1, askedUsers / Math.max(1, events.userCount));
  const each = new HeldOutParts(asked, { ...rules, cutTs: null, askedShare });
  if (!rules.kinds.includes('arriving') || (scale !== 'times' && scale !== 'days')) return each;
  const cutTs = await cutTime(events, horizon === 'later');
  const cut = new HeldOutParts(asked, { ...rules, cutTs });
  if (!(await cut.leavesHalf())) return each;
  const arrivals = await cut.arrivals();
  if (arrivals >= ENOUGH_QUESTIONS) return cut;
  const few = arrivals < MIN_CUT_QUESTIONS;
  if (few && arrivals < (await each.arrivals()) / 2) return each;
  return new HeldOutParts(asked, { ...rules, cutTs, asksEarlier: true });
}

/**
 * The newest fifth of the target events, or the newest month where that has enough users, or the time in which most users come
 * back: a list is for what its user does next, unless it is for what users do later.
 */
async function cutTime(events: TrainingEvents, isForLater: boolean): Promise<number> {
  const targets: ValuePass = async (visit) => {
    for await (const { length, type, ts, targetType } of events.parts()) {
      for (let event = 0; event < length; event++) if (type[event] === targetType) visit(ts[event]);
    }
  };
  const places = (count: number) => [1 - CUT_SHARE, NEARLY_ALL].map((share) => Math.floor(count * share));
  const [fifth = 0, newest = 0] = await nthSmallestOf(targets, places);
  if (isForLater) return fifth;
  let backInFifth = 0;
  await newestOfUsers(events)((ts) => {
    if (ts >= fifth) backInFifth++;
  });
  const users = [CUT_USERS, Math.max(BACK_USERS, Math.ceil(BACK_SHARE * backInFifth))];
  const never = Number.NEGATIVE_INFINITY;
  const [ofEnough = never, ofMost = never] = await nthSmallestOf(newestOfUsers(events), (count) =>
    users.map((most) => count - 1 - most),
  );
  return Math.max(fifth, Math.min(newest - CUT_MS, ofEnough), Math.min(newest - LEAST_CUT_MS, ofMost));
}

/** The time of each user's newest target event; 0: none. */
function newestOfUsers(events: TrainingEvents): ValuePass {
  return async (visit) => {
    for await (const { userCount, userOffsets, type, ts, targetType } of events.parts()) {
      for (let user = 0; user < userCount; user++) {
        let event = userOffsets[user + 1] - 1;
        while (event >= userOffsets[user] && type[event] !== targetType) event--;
        visit(event >= userOffsets[user] ? ts[event] : 0);
      }
    }
  };
}

/** The questions of all scorings. If users return to items, new items are also tested separately. */
export function allQuestions(table: EventTable, { moments, objective }: QuestionPlan): ScoringQuestions[] {
  const asked: ScoringQuestions[] = moments.map((questions) => ({ ...questions, objective }));
  if (objective === 'discover') return asked;
  for (const [n, { kind, fit, choose, report }] of moments.entries()) {
    const [newToFit, newToChoose, newToReport] = [fit, choose, report].map((own) => withUntouched(table, own));
    const parts = { fit: newToFit, choose: newToChoose, report: newToReport };
    // However few there are: what all questions would choose may know nothing of what is new.
    if (n > 0 && parts.fit.length + parts.choose.length < MIN_NEW_QUESTIONS) continue;
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

/**
 * With visits, users are asked on arriving and while browsing. With an order alone they are asked for the next item,
 * and without order for a random fifth.
 */
function kindsOf(scale: TimeScale, horizon: Horizon | 'auto'): QuestionKind[] {
  if (scale === 'set') return ['fifth'];
  if (horizon === 'later' || horizon === 'arriving') return ['arriving'];
  if (horizon === 'browsing' || scale === 'order') return ['next'];
  return ['arriving', 'browsing'];
}

function momentsOf(
  kinds: readonly QuestionKind[],
  asked: (kind: QuestionKind) => HeldOut['questions'][QuestionKind],
  to: DealtTo,
): MomentQuestions[] {
  const most = Math.max(...kinds.map((kind) => asked(kind).length));
  // If all users have one long visit, hardly any arrive. Users who come once are asked only while browsing: however
  // many they are, users who come back still arrive.
  const leastQuestions = Math.min(MIN_MOMENT_SHARE * most, ENOUGH_QUESTIONS);
  const targets = (kind: QuestionKind) => asked(kind).reduce((sum, question) => sum + question.targets.length, 0);
  const leastTargets = kinds.length === 1 ? 1 : MIN_MOMENT_TARGETS;
  const enough = kinds.filter((kind) => targets(kind) >= leastTargets && asked(kind).length >= leastQuestions);
  // If both moments have too few, the one with more questions is used.
  const used = enough.length > 0 ? enough : kinds.filter((kind) => asked(kind).length === most && most > 0).slice(0, 1);
  return used.map((kind) => ({
    moment: kind === 'browsing' || kind === 'next' ? 'browsing' : 'arriving',
    kind,
    ...dealQuestions(asked(kind), to),
  }));
}
