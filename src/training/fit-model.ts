// From events to a fitted model, in one direction: plan the questions, choose how events weigh, choose experts, join them for each
// moment, measure on questions that chose nothing, then fit once more on all events. The search reads a table of a sample of users;
// what is made of all events is a fold over their parts.

import { BuiltInAggregation } from '../aggregation/built-in.ts';
import type { EventAggregation } from '../aggregation/event-aggregation.ts';
import { checkModel } from '../artifact/check-model.ts';
import type { G1Model, LearnedObjectives, ScoringName } from '../artifact/g1-model.ts';
import { DAY_MS } from '../base/durations.ts';
import { traced } from '../base/trace.ts';
import { type EventFacts, eventFacts } from '../dataset/event-facts.ts';
import type { EventTable } from '../dataset/event-table.ts';
import { type BlockRoom, buildAllHistories, buildHistories, type HistoryBlocks } from '../dataset/history-blocks.ts';
import type { InteractionRules } from '../dataset/interactions.ts';
import { type Question, targetsOf } from '../dataset/questions.ts';
import { sampleUsers, tableOfSample } from '../dataset/sample-users.ts';
import type { TrainingEvents } from '../dataset/training-events.ts';
import type { AlgorithmParameters } from '../domain/algorithm-parameters.ts';
import type { Model } from '../domain/model.ts';
import { type CountedEvents, popularityValues } from '../experts/popularity.ts';
import { AGAIN_HALF_LIFE_DAYS, type ObjectiveRules, touchStrengths } from '../history/objective-rules.ts';
import { FIRST_REAL_MS } from '../history/visits.ts';
import type { KernelPool } from '../kernels/kernel-pool.ts';
import { uncalibratedBlend } from './blends.ts';
import { calibrate } from './calibrate.ts';
import { chooseAgain } from './choose-again.ts';
import { chooseExperts, defaultExperts } from './choose-experts.ts';
import { chooseRules, judgeSource } from './choose-rules.ts';
import { chooseScoring, fitRankerOver, MIN_QUESTIONS, type ScoringChoice } from './choose-scoring.ts';
import { ExpertForge, type Forged, popularityOf } from './expert-forge.ts';
import { gammasOf, popularityHalfLives } from './expert-grids.ts';
import { ExpertTrials } from './expert-trials.ts';
import { ENOUGH_QUESTIONS } from './fit-ranker.ts';
import { itemFacts } from './item-facts.ts';
import { gatherJudges } from './judges.ts';
import { measureMoments } from './measure-moments.ts';
import { modelScoring, momentScoring } from './model-scoring.ts';
import { findOnceItems, type OnceInput } from './once-items.ts';
import { allQuestions, type MomentQuestions, planQuestions, type QuestionPlan } from './plan-questions.ts';
import { requireTargetEvents } from './require-target-events.ts';
import type { Recipe, SearchResult } from './search-result.ts';
import { settingsOf } from './settings-record.ts';
import type { ShortQuestions } from './short-questions.ts';
import type { TrainingClock } from './training-clock.ts';
import { untoldHalfLife } from './untold-half-life.ts';
import type { ItemBlocks } from './usage-evidence.ts';

export interface FittedModel {
  readonly model: G1Model;
  readonly metrics: Model['metrics'];
  /** what users with short histories turned to; left out when nothing could be held out */
  readonly shortQuestions?: ShortQuestions;
  readonly recipe: Recipe;
  readonly facts: EventFacts;
}

const DEFAULT_SEED = 1;
/** Events used in the search for settings; beyond it a sample of users represents all. */
export const TUNING_EVENTS = 2_500_000;
/** Events that one cheap expert is made of for each way to weigh events: what they gain over each other hardly depends on how many there are. */
const RULE_EVENTS = 500_000;
const CUTOFF = 10;
const VECTOR_WIDTH = 64;

/** What a model is fitted on. */
export interface TrainingData {
  readonly events: TrainingEvents;
  /** records of the items, for usages of their attributes */
  readonly items?: ItemBlocks;
  /** who counts over all events; left out: this machine */
  readonly aggregate?: Aggregate;
  /** for histories of all users that do not fit on the memory */
  readonly room?: BlockRoom;
}

/** Counts over these histories, until the work ends. */
export type Aggregate = <T>(
  histories: HistoryBlocks,
  work: (aggregation: EventAggregation) => Promise<T>,
) => Promise<T>;

export async function fitModel(
  pool: KernelPool,
  { events, items, aggregate, room }: TrainingData,
  parameters: AlgorithmParameters,
  clock: TrainingClock,
): Promise<FittedModel> {
  const facts = await eventFacts(events);
  requireTargetEvents(events, facts.typeCounts);
  const seed = parameters.seed ?? DEFAULT_SEED;
  // By default the work is bounded, not the time: a busy machine finds the same model, only later.
  if (parameters.time_budget_seconds !== undefined) clock.allow(parameters.time_budget_seconds);
  clock.begin('prepare', 0.02, `Preparing ${events.length.toLocaleString('en')} events`);
  const users = sampleUsers(events, TUNING_EVENTS, seed);
  const sample = await tableOfSample(events, users);
  const plan = await traced('plan questions', () => planQuestions({ events, sample, facts }, parameters, seed));
  const all = { events, nowTs: facts.usualNewestTs, ordinaryValue: facts.ordinaryValue };
  // As old as at the date of the cut: after a month, half-lives of hours would round all of it to nothing.
  const counted = { ...all, nowTs: all.nowTs - (plan.days ?? 0) * DAY_MS, hiddenOf: plan.hiddenOf };
  const searched = { table: sample, facts, counted, parameters, plan, seed };
  const { rules, record: ruleRecord } = await traced('choose rules', () =>
    chooseRules(pool, { ...searched, users: sampleUsers(events, RULE_EVENTS, seed) }, clock),
  );
  const mark = pool.memory.mark();
  const search = await searchModel(pool, { ...searched, items, users, rules }, clock);
  pool.memory.release(mark);

  clock.begin('fit', 0.65, `Fitting ${search.specs.length} experts on all events`);
  await using histories = await traced('build histories', () => buildAllHistories(pool.memory, events, rules, room));
  const countHere: Aggregate = (_, work) => work(new BuiltInAggregation(pool, histories));
  const { forge, experts } = await (aggregate ?? countHere)(histories, async (aggregation) => {
    const forge = new ExpertForge(pool, {
      counted: { ...all, hiddenOf: null },
      histories,
      seed,
      ordered: plan.scale !== 'set',
      aggregation,
      gammas: gammasOf(parameters),
      historyCap: rules.historyCap,
      startSpace: search.space,
    });
    const experts = await forge.modelExperts(search.specs, (spec, share) =>
      clock.tell(0.65 + 0.25 * share, `Fitting ${spec.family.replace('_', ' ')}`),
    );
    return { forge, experts };
  });
  const ofItems = await itemFacts(pool.memory, histories, plan.scale !== 'set');
  const scoring = modelScoring(search.scorings, ofItems);
  clock.begin('vectors', 0.92, 'Laying out vectors of taste');
  const vectors = await tasteVectors(forge, events.itemCount);
  pool.memory.release(mark);

  const once = await onceItems(plan, { events, items, hiddenOf: null });
  const model: G1Model = {
    itemIds: events.itemIds,
    warmItemCount: events.itemCount,
    targetEventType: events.typeNames[events.targetType],
    typeWeights: Object.fromEntries(events.typeNames.map((name, type) => [name, rules.typeWeights[type]])),
    historyCap: rules.historyCap,
    experts,
    ...scoring,
    objectives: search.objectives,
    repeats: { rate: plan.repeats.share, recommendSeen: plan.objective === 'any' },
    vectors,
    calibration: search.calibration,
    coldUsers: null,
    ...(once && { onceItems: once }),
    ...(search.dislikes && { dislikeWeight: search.dislikes.weight }),
    metrics: search.metrics === null ? null : { ...search.metrics },
    settings: settingsOf({
      ...search,
      rules,
      plan,
      parameters,
      table: sample,
      ruleRecord: [...ruleRecord, ...search.againRecord],
    }),
    seed,
  };
  checkModel(model);
  const { shortQuestions, specs, scorings } = search;
  const recipe = { specs, scorings, rules, plan, seed, gammas: gammasOf(parameters) };
  return { model, metrics: search.metrics, ...(shortQuestions && { shortQuestions }), recipe, facts };
}

interface SearchInput {
  /** the events of the users who are asked */
  readonly table: EventTable;
  /** of all events, like what is counted over them */
  readonly facts: EventFacts;
  readonly counted: CountedEvents;
  readonly items: ItemBlocks | undefined;
  readonly users: Uint32Array | undefined;
  readonly parameters: AlgorithmParameters;
  readonly plan: QuestionPlan;
  readonly rules: InteractionRules;
  readonly seed: number;
}

/** All that is chosen on held-out events, and how good it is. What it leaves on the memory may be released. */
async function searchModel(pool: KernelPool, input: SearchInput, clock: TrainingClock): Promise<SearchResult> {
  const { table, users, counted, parameters, plan, rules, seed } = input;
  const { memory } = pool;
  const ordered = plan.scale !== 'set';
  const [main] = plan.moments;
  const targetEventType = table.typeNames[table.targetType];
  const objectives = { ...defaultObjectives(input), targetEventType };
  if (main === undefined || main.fit.length + main.choose.length + main.report.length < MIN_QUESTIONS) {
    return unsearched(input, objectives);
  }
  const once = await onceItems(plan, { ...counted, items: input.items });
  const source = { ...judgeSource(table, rules, plan), once };
  await using histories = await buildHistories(memory, table, rules, { hidden: plan.hidden, users });
  const forge = new ExpertForge(pool, {
    counted,
    histories,
    seed,
    ordered,
    gammas: gammasOf(parameters),
    historyCap: rules.historyCap,
  });
  clock.begin('tune', 0.1, 'Trying experts');
  const asked = allQuestions(table, plan);
  const trialsFor = (objective: 'discover' | 'any') => {
    const { fit, choose } = asked.find((one) => one.objective === objective && one.fit.length > 0) ?? main;
    const questions = [...fit, ...choose].slice(0, TRIAL_QUESTIONS);
    const judges = gatherJudges(memory, { ...source, objective }, questions);
    const isEarlier = questions.map((question) => question.isEarlier === true);
    return new ExpertTrials(pool, forge, { judges, cutoff: CUTOFF, isEarlier }, clock);
  };
  // Experts lead from items to others, so they are judged by what is new; what users come back to is judged by all.
  const trials = trialsFor('discover');
  const returns = plan.objective === 'any' ? trialsFor('any') : null;
  const order = main.kind === 'next' ? 'next' : main.kind === 'fifth' ? 'unordered' : 'many';
  // A random fifth of the past favors other experts than the future does.
  const trusted = main.kind !== 'fifth';
  const grid = {
    halfLives: await halfLivesOf(input, main),
    histories,
    parameters,
    ordered,
    asked: order,
    trusted,
  } as const;
  const specs = await traced('choose experts', () => chooseExperts(forge, grid, { trials, returns }, clock));
  const experts: Forged[] = [];
  for (const spec of specs) experts.push(await forge.forge(spec));

  clock.begin('blend', 0.45, `Joining ${specs.length} experts`);
  const members = { pool, forge, experts, facts: await itemFacts(memory, histories, ordered) };
  const { facts } = members;
  const scorings: { moment: ScoringName; scoring: ScoringChoice }[] = [];
  for (const { moment, fit, choose, objective } of asked) {
    const questions = { fitQuestions: fit, chooseQuestions: choose };
    const input = { source: { ...source, objective }, ...questions, trusted, cutoff: CUTOFF };
    scorings.push({ moment, scoring: await traced('choose scoring', () => chooseScoring(members, input, clock)) });
  }
  clock.begin('measure', 0.55, 'Measuring on held-out events');
  const again =
    main.kind === 'arriving'
      ? chooseAgain(table, objectives, allTargets(table, [...main.choose, ...main.fit]), popularityOf(experts))
      : { halfLifeDays: objectives.againHalfLifeDays, record: [] };
  const learned = { ...objectives, againHalfLifeDays: again.halfLifeDays };
  const metrics = await traced('measure', () =>
    measureMoments({ ...members, rules: learned, seed }, { source, plan, asked }, scorings),
  );
  const unused = main.report.length > 0 ? main.report : main.choose;
  const others = main.report.length > 0 ? [...main.choose, ...main.fit] : main.fit;
  const forNew = scorings.find(({ moment }) => moment === 'discovering');
  const calibrated = await calibrate(memory, source, [...unused, ...others], {
    table,
    events: counted.events,
    hiddenOf: counted.hiddenOf,
    rules,
    experts,
    scoring: momentScoring(scorings[0].scoring, facts),
    seed,
    comeBack: plan.objective === 'any',
    unusedQuestions: unused.length,
    ...(forNew && { forNew: momentScoring(forNew.scoring, facts) }),
    ...(input.items && { items: input.items }),
  });
  // Where questions are few, those that chose and measured teach too.
  clock.tell(0.6, 'Fitting rankers on all questions');
  for (const [n, { fit, choose, report: measured, objective }] of asked.entries()) {
    const { scoring } = scorings[n];
    if (scoring.ranker === null || scoring.ranker.questions >= ENOUGH_QUESTIONS / 2) continue;
    const questions = [...fit, ...choose, ...measured];
    const refitted = await fitRankerOver(members, scoring, { ...source, objective }, questions);
    scorings[n] = { ...scorings[n], scoring: { ...scoring, ranker: refitted ?? scoring.ranker } };
  }
  return {
    specs,
    scorings,
    tried: [...trials.tried, ...(returns?.tried ?? [])],
    metrics,
    ...calibrated,
    objectives: learnedOf(learned),
    againRecord: again.record,
    space: forge.spaceCopy(),
  };
}

/** Experts alone differ by more than the last steps of a blend: fewer questions judge them. */
const TRIAL_QUESTIONS = 3000;

/** Fewer questions asked on arriving after the date do not tell how fast popularity passes. */
const MIN_LATE_QUESTIONS = 100;

/** What the questions choose from: one where they do not tell. */
async function halfLivesOf(
  { parameters, facts, plan, counted }: SearchInput,
  { kind, fit, choose }: MomentQuestions,
): Promise<readonly (number | null)[]> {
  const halfLives = popularityHalfLives(parameters, facts, plan.scale !== 'set');
  const late = [...fit, ...choose].filter(({ isEarlier }) => isEarlier !== true).length;
  const isTold = kind === 'arriving' && plan.days !== null && late >= MIN_LATE_QUESTIONS;
  return isTold || plan.scale === 'order' ? halfLives : [await untoldHalfLife(counted, halfLives)];
}

/** Too few users to judge: what is popular, and hardly any taste by experts at their defaults. */
async function unsearched(
  { parameters, plan, counted, facts }: SearchInput,
  objectives: ObjectiveRules,
): Promise<SearchResult> {
  const comeBack = plan.objective === 'any';
  const all = { ...counted, nowTs: facts.usualNewestTs, hiddenOf: null };
  const hasTimes = facts.usualOldestTs >= FIRST_REAL_MS;
  const halfLifeDays = await untoldHalfLife(all, popularityHalfLives(parameters, facts, hasTimes));
  const specs = defaultExperts(parameters, { ordered: plan.scale !== 'set', comeBack, halfLifeDays });
  const [users] = await popularityValues(all, [halfLifeDays && halfLifeDays * DAY_MS]);
  const usersOfMost = users.reduce((most, count) => Math.max(most, count), 0);
  const unjudged = (objective: 'discover' | 'any'): ScoringChoice => ({
    blend: uncalibratedBlend(specs, objective, usersOfMost),
    ranker: null,
    deep: [],
    record: [],
  });
  const arriving = { moment: 'arriving', scoring: unjudged(plan.objective) } as const;
  const discovering = { moment: 'discovering', scoring: unjudged('discover') } as const;
  return {
    specs,
    tried: [],
    metrics: null,
    calibration: { tau: 1, usage: null },
    objectives: learnedOf(objectives),
    againRecord: [],
    space: null,
    scorings: comeBack ? [arriving, discovering] : [arriving],
  };
}

/** null where nothing is recommended again, or times do not say what a return is. */
async function onceItems({ objective, scale }: QuestionPlan, input: OnceInput): Promise<Uint8Array | null> {
  if (objective !== 'any' || (scale !== 'times' && scale !== 'days')) return null;
  return findOnceItems(input);
}

function allTargets(table: EventTable, questions: readonly Question[]): Question[] {
  return questions.map((question) => ({ ...question, targets: targetsOf(table, question, 'any') }));
}

function learnedOf({ targetEventType: _, ...learned }: ObjectiveRules): LearnedObjectives {
  return learned;
}

function defaultObjectives({ table, facts, plan }: SearchInput): LearnedObjectives {
  const counts = Object.fromEntries(facts.typesSeen.map((type) => [table.typeNames[type], facts.typeCounts[type]]));
  return {
    auto: plan.objective,
    touchStrengths: touchStrengths(counts, table.typeNames[table.targetType]),
    visitGapMs: plan.gapMs,
    againHalfLifeDays: AGAIN_HALF_LIFE_DAYS,
  };
}

async function tasteVectors(forge: ExpertForge, itemCount: number): Promise<G1Model['vectors']> {
  const { width, basis } = await forge.space(VECTOR_WIDTH);
  const dimensions = Math.min(VECTOR_WIDTH, width);
  const values = new Float32Array(new SharedArrayBuffer(itemCount * dimensions * 4));
  // Divided by the root of its users, an item popular with everyone says no more of a taste than a rare one.
  for (let item = 0; item < itemCount; item++) {
    const root = Math.sqrt(Math.max(1, forge.degrees[item]));
    for (let k = 0; k < dimensions; k++) values[item * dimensions + k] = basis[item * width + k] / root;
  }
  return { dimensions, values };
}
