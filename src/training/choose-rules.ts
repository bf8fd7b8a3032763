// Chooses the weights of events (history/history-rules.ts) before the experts: half-life, event types, shape of values. Each
// choice starts from the plain one and leaves it only for a clear gain of one cheap expert on questions that take no part in
// reported figures. Every trial is recorded.

import { DAY_MS } from '../base/durations.ts';
import { type EventFacts, RATING_LEVELS } from '../dataset/event-facts.ts';
import type { EventTable } from '../dataset/event-table.ts';
import { buildHistories } from '../dataset/history-blocks.ts';
import type { InteractionRules } from '../dataset/interactions.ts';
import type { Question } from '../dataset/questions.ts';
import type { EventNames } from '../dataset/training-events.ts';
import type { AlgorithmParameters } from '../domain/algorithm-parameters.ts';
import { mean, pairedGain, rounded } from '../domain/compare.ts';
import type { CountedEvents } from '../experts/popularity.ts';
import { DEFAULT_HISTORY_CAP } from '../history/history-rules.ts';
import type { KernelPool } from '../kernels/kernel-pool.ts';
import { type Gains, ndcgOfEach } from './evaluate.ts';
import { ExpertForge } from './expert-forge.ts';
import type { ExpertSpec } from './expert-spec.ts';
import { gatherJudges } from './judges.ts';
import { allQuestions, type QuestionPlan } from './plan-questions.ts';
import type { TrainingClock } from './training-clock.ts';

export interface RuleTrial {
  readonly rule: string;
  readonly value: string | number;
  readonly ndcg: number;
  readonly gain: number;
  readonly taken: boolean;
}

export interface RuleContext {
  /** the events of the users who are asked */
  readonly table: EventTable;
  /** facts about all events */
  readonly facts: EventFacts;
  readonly counted: CountedEvents;
  readonly users: Uint32Array | undefined;
  readonly parameters: AlgorithmParameters;
  readonly plan: QuestionPlan;
  readonly seed: number;
}

const HALF_LIVES_DAYS = [365, 90, 30];
const TYPE_WEIGHTS = [0.3, 0.1, 0];
/** Rarer types than these have weight 1 unless the parameters say otherwise. */
const MAX_TUNED_TYPES = 4;
const JUDGES = 2000;
/** With fewer questions nothing is chosen: a gain among them would be chance. */
const MIN_JUDGES = 100;
/** A choice must gain this share, and twice its standard error. */
const CLEAR_SHARE = 0.01;
const CLEAR_ERRORS = 2;
const CUTOFF = 10;

/** The rules to use without evidence: every type has weight 1, values count by their logarithm, age does not matter. */
export function plainRules(
  { typeNames, targetType }: EventNames,
  parameters: AlgorithmParameters,
  ordinaryValue: number,
): InteractionRules {
  const given = givenWeights(parameters);
  const halfLifeDays = parameters.half_life_days ?? null;
  return {
    typeWeights: typeNames.map((name, type) => (type === targetType ? 1 : (given.get(name) ?? 1))),
    valueShape: parameters.value_weighting ?? 'log',
    valueUnit: ordinaryValue,
    historyCap: parameters.history_cap ?? DEFAULT_HISTORY_CAP,
    halfLifeMs: halfLifeDays === null ? null : halfLifeDays * DAY_MS,
  };
}

/** Weights given in the parameters, by the name of the type. */
function givenWeights({ event_type_weights: given = {} }: AlgorithmParameters): ReadonlyMap<string, number> {
  return new Map(Object.entries(given));
}

export async function chooseRules(
  pool: KernelPool,
  context: RuleContext,
  clock: TrainingClock,
): Promise<{ rules: InteractionRules; record: RuleTrial[] }> {
  const { table, facts, parameters, plan } = context;
  const record: RuleTrial[] = [];
  let rules = plainRules(table, parameters, facts.ordinaryValue);
  const [main, ...others] = judgingQuestions(table, plan);
  const trials = trialsOf(context);
  if (main === undefined || trials.length === 0) return { rules, record };
  for (const { rule, options, gains: gainsOf } of trials) {
    if (clock.isLate()) break;
    clock.tell(0.05, `Weighing events: ${rule}`);
    const judge = (under: InteractionRules, asked: JudgingQuestions) =>
      judgeRules(pool, context, under, { ...asked, gains: gainsOf?.(asked.questions) });
    const before = await judge(rules, main);
    const beforeOthers = await inTurn(others, (asked) => judge(rules, asked));
    let best: { rules: InteractionRules; trial: RuleTrial } | null = null;
    for (const { value, change } of options) {
      const trial = change(rules);
      const own = await judge(trial, main);
      const { gain, standardError } = pairedGain(own, before);
      const clear = gain > Math.max(CLEAR_SHARE * mean(before), CLEAR_ERRORS * standardError);
      record.push({ rule, value, ndcg: rounded(mean(own)), gain: rounded(gain), taken: false });
      if (!clear || (best !== null && mean(own) <= best.trial.ndcg)) continue;
      const ofOthers = await inTurn(others, (asked) => judge(trial, asked));
      if (ofOthers.some((other, n) => isLoss(other, beforeOthers[n]))) continue;
      best = { rules: trial, trial: record[record.length - 1] };
    }
    if (best === null) continue;
    record[record.indexOf(best.trial)] = { ...best.trial, taken: true };
    rules = best.rules;
  }
  return { rules, record };
}

/** Questions that judge rules, and what may be recommended in them. */
interface JudgingQuestions {
  readonly questions: readonly Question[];
  readonly objective: 'discover' | 'any';
}

/**
 * The first group decides; the others can veto. All judge by items new to the user, where there are enough of them: what a user
 * returns to is found by counting, however other events are weighed.
 */
function judgingQuestions(table: EventTable, plan: QuestionPlan): JudgingQuestions[] {
  const asked = allQuestions(table, plan).map(({ choose, fit, objective }) => ({
    questions: [...choose, ...fit].slice(0, JUDGES),
    objective,
  }));
  const enough = asked.filter(({ questions }) => questions.length >= MIN_JUDGES);
  const forNew = enough.filter(({ objective }) => objective === 'discover');
  return forNew.length > 0 ? forNew : enough.slice(0, 1);
}

async function inTurn<T, U>(list: readonly T[], make: (one: T) => Promise<U>): Promise<U[]> {
  const made: U[] = [];
  for (const one of list) made.push(await make(one));
  return made;
}

function isLoss(own: Float64Array, before: Float64Array): boolean {
  const { gain, standardError } = pairedGain(own, before);
  return gain < -CLEAR_ERRORS * standardError;
}

/** Values of one rule, of which the best is taken if it is clearly better than the one in force. */
interface Trial {
  readonly rule: string;
  readonly options: readonly {
    readonly value: string | number;
    readonly change: (rules: InteractionRules) => InteractionRules;
  }[];
  /** the gain of each found target; if left out, 1 */
  readonly gains?: (questions: readonly Question[]) => Gains;
}

function trialsOf({ table, facts, parameters, plan }: RuleContext): Trial[] {
  const trials: Trial[] = [];
  const spanDays = Math.max(0, facts.newestTs - facts.oldestTs) / DAY_MS;
  // A half-life far beyond the data changes nothing.
  const halfLives = HALF_LIVES_DAYS.filter((days) => days <= spanDays);
  const hasTimes = plan.scale === 'times' || plan.scale === 'days';
  if (parameters.half_life_days === undefined && hasTimes && halfLives.length > 0) {
    const options = halfLives.map((days) => ({
      value: days,
      change: (rules: InteractionRules) => ({ ...rules, halfLifeMs: days * DAY_MS }),
    }));
    trials.push({ rule: 'half_life_days', options });
  }
  for (const { name, type } of openTypes(table, facts.typeCounts, parameters)) {
    const options = TYPE_WEIGHTS.map((weight) => ({
      value: weight,
      change: (rules: InteractionRules) => ({
        ...rules,
        typeWeights: rules.typeWeights.map((own, t) => (t === type ? weight : own)),
      }),
    }));
    trials.push({ rule: `weight of ${name}`, options });
  }
  const levels = facts.valueLevels;
  if (parameters.value_weighting === undefined && levels > 1) {
    // A user's own mean says something of opinions, not of quantities: an order of ten is no smaller for who often orders ten.
    const shapes = levels <= RATING_LEVELS ? (['linear', 'relative'] as const) : (['linear'] as const);
    const options = shapes.map((shape) => ({
      value: shape,
      change: (rules: InteractionRules): InteractionRules => ({ ...rules, valueShape: shape }),
    }));
    trials.push({ rule: 'value_weighting', options, gains: (asked) => gainsOf(table, asked, facts.ordinaryValue) });
  }
  return trials;
}

/** The most frequent types besides the target whose weights the parameters do not fix. */
function openTypes(
  { typeNames, targetType }: EventNames,
  counts: readonly number[],
  parameters: AlgorithmParameters,
): { name: string; type: number }[] {
  const given = givenWeights(parameters);
  return typeNames
    .map((name, type) => ({ name, type }))
    .filter(({ name, type }) => type !== targetType && !given.has(name) && counts[type] > 0)
    .sort((a, b) => counts[b.type] - counts[a.type])
    .slice(0, MAX_TUNED_TYPES);
}

async function judgeRules(
  pool: KernelPool,
  { table, users, counted, plan, seed }: RuleContext,
  rules: InteractionRules,
  { questions, objective, gains }: JudgingQuestions & { readonly gains: Gains | undefined },
): Promise<Float64Array> {
  const { memory } = pool;
  const mark = memory.mark();
  await using histories = await buildHistories(memory, table, rules, { hidden: plan.hidden, users });
  const judges = gatherJudges(memory, { ...judgeSource(table, rules, plan), objective }, questions);
  const forge = new ExpertForge(pool, {
    counted,
    histories,
    seed,
    gammas: [0.5, 1] as const,
    historyCap: rules.historyCap,
  });
  const walk: ExpertSpec = { family: 'walk', gamma: 1, beta: 0.5, delta: 0.25, rho: plan.scale === 'set' ? 0 : 0.4 };
  // If users come back to items, the expert of repeats is judged too.
  const specs: ExpertSpec[] = objective === 'any' ? [walk, { family: 'repeat', rho: 0 }] : [walk];
  const experts = await inTurn(specs, (spec) => forge.forge(spec));
  const block = forge.block(experts, { weights: specs.map(() => 1), transform: { kind: 'linear' } });
  const ndcgs = await ndcgOfEach(pool, { block, ranker: null }, judges, { cutoff: CUTOFF, gains });
  memory.release(mark);
  return ndcgs;
}

export function judgeSource(table: EventTable, rules: InteractionRules, plan: QuestionPlan) {
  // Only a random fifth is hidden within histories. All other held-out events come after them.
  const hidden = plan.moments.some(({ kind }) => kind === 'fifth') ? plan.hidden : null;
  return { table, rules, objective: plan.objective, gapMs: plan.gapMs, hidden };
}

/** The gain of each target: the logarithm of the values of its target events after the question, in ordinary values. */
function gainsOf(table: EventTable, questions: readonly Question[], unit: number): Gains {
  return questions.map(({ user, end, targets }) => {
    const sums = new Map(targets.map((item) => [item, 0]));
    // The held-out events of a random fifth lie before the end.
    const first = table.userOffsets[user + 1] === end ? table.userOffsets[user] : end;
    for (let event = first; event < table.userOffsets[user + 1]; event++) {
      const sum = sums.get(table.item[event]);
      if (sum === undefined || table.type[event] !== table.targetType) continue;
      sums.set(table.item[event], sum + table.value[event] / unit);
    }
    return new Map([...sums].map(([item, sum]) => [item, Math.log2(1 + sum)]));
  });
}
