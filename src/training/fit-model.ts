// Fits a model to events, in one pass of steps: plan the questions, choose how events weigh, search for the experts and how to
// join them (search-model.ts), then fit once more on all events. The search reads a table of a sample of users; what is made of
// all events is a fold over their parts.

import { BuiltInAggregation } from '../aggregation/built-in.ts';
import type { EventAggregation } from '../aggregation/event-aggregation.ts';
import { checkModel } from '../artifact/check-model.ts';
import type { G1Model } from '../artifact/g1-model.ts';
import { DAY_MS } from '../base/durations.ts';
import { traced } from '../base/trace.ts';
import { type EventFacts, eventFacts } from '../dataset/event-facts.ts';
import { type BlockRoom, buildAllHistories, type HistoryBlocks } from '../dataset/history-blocks.ts';
import { sampleUsers, tableOfSample } from '../dataset/sample-users.ts';
import type { TrainingEvents } from '../dataset/training-events.ts';
import type { AlgorithmParameters } from '../domain/algorithm-parameters.ts';
import type { Model } from '../domain/model.ts';
import type { KernelPool } from '../kernels/kernel-pool.ts';
import { chooseRules } from './choose-rules.ts';
import { ExpertForge } from './expert-forge.ts';
import { gammasOf } from './expert-grids.ts';
import { itemFacts } from './item-facts.ts';
import { modelScoring } from './model-scoring.ts';
import { onceItems } from './once-items.ts';
import { planQuestions } from './plan-questions.ts';
import { requireTargetEvents } from './require-target-events.ts';
import { searchModel } from './search-model.ts';
import type { Recipe } from './search-result.ts';
import { settingsOf } from './settings-record.ts';
import type { ShortQuestions } from './short-questions.ts';
import type { TrainingClock } from './training-clock.ts';
import type { ItemBlocks } from './usage-evidence.ts';

export interface FittedModel {
  readonly model: G1Model;
  readonly metrics: Model['metrics'];
  /** choices of users with short histories; left out if nothing could be held out */
  readonly shortQuestions?: ShortQuestions;
  readonly recipe: Recipe;
  readonly facts: EventFacts;
}

const DEFAULT_SEED = 1;
/** Events used in the search for settings; beyond it a sample of users represents all. */
export const TUNING_EVENTS = 2_500_000;
/** Events that one cheap expert is made of for each way to weigh events: what they gain over each other hardly depends on how many there are. */
const RULE_EVENTS = 500_000;
const VECTOR_WIDTH = 64;

/** The data a model is fitted on. */
export interface TrainingData {
  readonly events: TrainingEvents;
  /** records of the items, for usages of their attributes */
  readonly items?: ItemBlocks;
  /** counts over all events; if left out, this machine counts */
  readonly aggregate?: Aggregate;
  /** for histories of all users that do not fit in the kernels' memory */
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
  // The default bounds the work, not the time: a busy machine produces the same model, only later.
  if (parameters.time_budget_seconds !== undefined) clock.allow(parameters.time_budget_seconds);
  clock.begin('prepare', 0.02, `Preparing ${events.length.toLocaleString('en')} events`);
  const users = sampleUsers(events, TUNING_EVENTS, seed);
  const sample = await tableOfSample(events, users);
  const plan = await traced('plan questions', () => planQuestions({ events, sample, facts }, parameters, seed));
  const all = { events, nowTs: facts.usualNewestTs, ordinaryValue: facts.ordinaryValue };
  // Ages are counted from the date of the cut: a month later, half-lives of hours would round all popularity to
  // nothing.
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
