// Decides what a model is for: the objective its data calls for, the moments it is asked at, and the questions that stand for
// them. Then deals the questions out: some fit, some choose, and some only measure what is reported.
import type { ScoringName } from '../artifact/g1-model.ts';
import type { EventTable } from '../dataset/event-table.ts';
import { nthSmallest } from '../dataset/nth-smallest.ts';
import { type HeldOut, type HoldOutRules, holdOut, type Question, type QuestionKind } from '../dataset/questions.ts';
import { hash32, sampleOf } from '../dataset/random.ts';
import { type RepeatConsumption, repeatConsumption } from '../dataset/repeat-consumption.ts';
import type { AlgorithmParameters } from '../domain/algorithm-parameters.ts';
import { traced } from '../domain/trace.ts';
import { DAY_MS } from '../history/history-rules.ts';
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
const FIT = { questions: 18_000, events: 1_200_000 };
const CHOOSE = { questions: 3000, events: 200_000 };
const REPORT = { questions: 3000, events: 200_000 };
/** Held out after a date: at most this share of the target events, and a month where these many users came back in it. */
const CUT_SHARE = 0.2;
const CUT_MS = 30 * DAY_MS;
const CUT_USERS = 6000;
/** A few events far in the future are not the newest. */
const NEARLY_ALL = 0.999;
const MIN_CUT_QUESTIONS = 100;
/** Users whose newest visits become questions. Of these, half fit, a quarter chooses and a quarter measures. */
const ASKED_USERS = 12_000;
/** The same for next items one by one: where items are many, one in five is among the candidates that teach a ranker. */
const ASKED_FOR_NEXT = 24_000;
/** Fewer questions after the date are too few to choose by: the newest visits before it of other users are added. */
const ENOUGH_CUT_QUESTIONS = 400;
/** A second moment needs this many questions, and this share of the other's. */
const MIN_MOMENT_QUESTIONS = 100;
const MIN_MOMENT_SHARE = 0.2;
/** The second moment is also tested on new items from this many questions on. */
const MIN_NEW_QUESTIONS = 20;

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
  const among = options.users && new Set(options.users);
  const keeps = among && ((user: number) => among.has(user));
  const held = heldOutOf(table, scale, { objective, kinds, gapMs, seed: options.seed, keeps });
  const asked = (kind: QuestionKind) => held.questions[kind];
  return {
    ...{ scale, gapMs, repeats, objective, horizon, hidden: held.hidden },
    moments: momentsOf(kinds, asked, table.userOffsets, options.seed),
  };
}

/**
 * With real times, everything after one date is held out, as it is when a model is put to use. Where hardly anyone is there before
 * and after it (users come and go), each user's newest visits are.
 */
function heldOutOf(table: EventTable, scale: TimeScale, rules: Omit<HoldOutRules, 'cutTs'>): HeldOut {
  return traced('hold out', () => chosenVisits(table, scale, rules));
}

function chosenVisits(table: EventTable, scale: TimeScale, rules: Omit<HoldOutRules, 'cutTs'>): HeldOut {
  // Who is not needed to judge keeps all events: experts are then chosen on nearly what they will be fitted on.
  const askedUsers = rules.kinds.includes('next') ? ASKED_FOR_NEXT : ASKED_USERS;
  const askedShare = Math.min(1, askedUsers / Math.max(1, table.userCount));
  const ofEach = () => holdOut(table, { ...rules, cutTs: null, askedShare });
  if (!rules.kinds.includes('arriving') || (scale !== 'times' && scale !== 'days')) return ofEach();
  const cutTs = cutTime(table);
  const cut = holdOut(table, { ...rules, cutTs });
  if (cut.asked.arriving >= ENOUGH_CUT_QUESTIONS) return cut;
  const each = ofEach();
  const few = cut.asked.arriving < MIN_CUT_QUESTIONS;
  if (few && cut.asked.arriving < each.asked.arriving / 2) return each;
  return holdOut(table, { ...rules, cutTs, asksEarlier: true });
}

/** The newest fifth of the target events, or the newest month where that has enough users. */
function cutTime(table: EventTable): number {
  const { userCount, userOffsets, type, ts, targetType } = table;
  const times = new Float64Array(table.length);
  let length = 0;
  const newestOf = new Float64Array(userCount);
  for (let user = 0; user < userCount; user++) {
    for (let event = userOffsets[user]; event < userOffsets[user + 1]; event++) {
      if (type[event] !== targetType) continue;
      times[length++] = ts[event];
      newestOf[user] = ts[event];
    }
  }
  const timeAt = (share: number) => nthSmallest(times.subarray(0, length), Math.floor(length * share)) ?? 0;
  const fifth = timeAt(1 - CUT_SHARE);
  const month = timeAt(NEARLY_ALL) - CUT_MS;
  const byNewest = newestOf.sort().reverse();
  const enough = Math.min(month, byNewest[CUT_USERS] ?? Number.NEGATIVE_INFINITY);
  return Math.max(fifth, enough);
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

/**
 * By user, so that no user both fits and measures: a quarter measures, a quarter chooses. Those who were asked earlier measure nothing. Users are drawn, not questions: those with
 * many are no likelier.
 */
function dealt(
  questions: readonly Question[],
  userOffsets: Uint32Array,
  seed: number,
): Pick<MomentQuestions, 'fit' | 'choose' | 'report'> {
  const ofUser = Map.groupBy(questions, ({ user }) => user);
  const roleOf = (user: number) => {
    const role = hash32(seed ^ 0x2545f491, user) % 4;
    return role === 0 && ofUser.get(user)![0].isEarlier ? 3 : role;
  };
  const some = (isRole: (role: number) => boolean, most: { questions: number; events: number }) => {
    const users = [...ofUser.keys()].filter((user) => isRole(roleOf(user)));
    const drawn: Question[] = [];
    let events = 0;
    for (const user of sampleOf(users, most.questions, seed)) {
      const own = ofUser.get(user)!;
      events += own.reduce((sum, { end }) => sum + end - userOffsets[user], 0);
      if (drawn.length > 0 && (events > most.events || drawn.length + own.length > most.questions)) break;
      drawn.push(...own);
    }
    return drawn;
  };
  return {
    fit: some((role) => role > 1, FIT),
    choose: some((role) => role === 1, CHOOSE),
    report: some((role) => role === 0, REPORT),
  };
}
