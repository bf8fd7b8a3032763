// From an event table to a fitted model: choose settings on held-out events (tune), measure, then fit once more on all events.

import { checkModel } from '../artifact/check-model.ts';
import type { G1Model } from '../artifact/g1-model.ts';
import { type EventTable, hasOrder } from '../dataset/event-table.ts';
import { buildInteractions, type InteractionRules } from '../dataset/interactions.ts';
import { hash32, sampleOf } from '../dataset/random.ts';
import { repeatRate, splitEvents, type ValidationKind } from '../dataset/split.ts';
import type { AlgorithmParameters } from '../domain/algorithm-parameters.ts';
import type { Model } from '../domain/model.ts';
import { DAY_MS } from '../history/history-rules.ts';
import type { KernelPool } from '../kernels/kernel-pool.ts';
import { chooseRules, chooseValidation } from './choose-rules.ts';
import { ExpertForge, type ExpertSpec, toModelExpert } from './expert-forge.ts';
import { gammasOf } from './expert-grids.ts';
import { gatherJudges, judgeCandidates, targetsOf } from './judges.ts';
import { calibrate, measureTuned } from './measure-tuned.ts';
import { requireTargetEvents } from './require-target-events.ts';
import type { ShortQuestions } from './short-questions.ts';
import type { TrainingClock } from './training-clock.ts';
import { TUNING_CUTOFF, type Tuned, tune } from './tune.ts';

export interface FittedModel {
  readonly model: G1Model;
  readonly metrics: Model['metrics'];
  /** what users with short histories turned to; left out when nothing could be held out */
  readonly shortQuestions?: ShortQuestions;
}

export const DEFAULT_SEED = 1;
const DEFAULT_BUDGET_SECONDS = 600;
const DEFAULT_JUDGES = 3000;
/** A few held-out items a user say less than a fifth of its items: more users are asked. */
const NEXT_ITEM_JUDGES = 4000;
/** Events that take part in the search for settings: beyond, a sample of users stands for all. */
const TUNING_EVENTS = 2_500_000;
const MEASURED_USERS = 2000;
/** The one next item is looked for near the top. */
const NEXT_ITEM_CUTOFF = 10;
const MIN_JUDGES = 20;
const MIN_OTHERS = 1000;
const REPEAT_RATE = 0.1;
const VECTOR_WIDTH = 64;

export async function fitModel(
  pool: KernelPool,
  table: EventTable,
  parameters: AlgorithmParameters,
  clock: TrainingClock,
): Promise<FittedModel> {
  requireTargetEvents(table);
  const seed = parameters.seed ?? DEFAULT_SEED;
  const ordered = hasOrder(table);
  const rate = repeatRate(table);
  const recommendSeen = parameters.repeats === undefined ? rate >= REPEAT_RATE : parameters.repeats === 'recommend';
  clock.allow(parameters.time_budget_seconds ?? DEFAULT_BUDGET_SECONDS);

  clock.begin('prepare', 0.02, `Preparing ${table.length.toLocaleString('en')} events`);
  const users = tuningUsers(table, seed);
  const context = { table, users, parameters, seed, ordered, recommendSeen, clock };
  const rules = await chooseRules(pool, context);
  const validation = await chooseValidation(pool, context, rules);
  const split = splitEvents(table, validation, seed, recommendSeen);

  const mark = pool.memory.mark();
  const x = buildInteractions(pool.memory, table, rules, { hidden: split.hidden, users });
  const targets = targetsOf(split, users);
  const judgeRows = judgeCandidates(x, targets);
  let tuned: Tuned;
  let metrics: FittedModel['metrics'] = null;
  let calibration: G1Model['calibration'] = { tau: 1, heldOut: null };
  if (judgeRows.length >= MIN_JUDGES) {
    const chosenRows = sampleOf(
      judgeRows,
      parameters.validation_users ?? (validation === 'last_item' ? NEXT_ITEM_JUDGES : DEFAULT_JUDGES),
      seed,
    );
    const asked = validation === 'last_item' ? 'one by one' : 'together';
    const judges = gatherJudges(pool.memory, x, targets, chosenRows, asked);
    const forge = new ExpertForge(pool, {
      ...{ table, x, hidden: split.hidden, seed },
      ...{ gammas: gammasOf(parameters), historyCap: rules.historyCap },
    });
    const cutoff = validation === 'last_item' ? NEXT_ITEM_CUTOFF : TUNING_CUTOFF;
    const searched = await tune(
      pool,
      forge,
      { table, x, judges, parameters, ordered, recommendSeen, validation, cutoff },
      clock,
    );
    tuned = searched.tuned;
    clock.begin('measure', 0.6, 'Measuring on held-out events');
    // Users that took no part in the search, when there are enough of them: their figures are not flattered by it.
    const tunedOn = new Set(chosenRows);
    const others = judgeRows.filter((row) => !tunedOn.has(row));
    const enough = others.length >= Math.min(MIN_OTHERS, chosenRows.length);
    const measuredRows = sampleOf(enough ? others : chosenRows, MEASURED_USERS, seed + 1);
    const measured = gatherJudges(pool.memory, x, targets, measuredRows, asked);
    metrics = await measureTuned(
      pool,
      forge,
      searched.forged,
      tuned,
      measured,
      measuredRows.length,
      recommendSeen,
      table.itemCount,
    );
    calibration = calibrate(table, rules, searched.forged, tuned, measured, recommendSeen, seed);
  } else {
    tuned = untuned(parameters, ordered);
  }
  pool.memory.release(mark);

  clock.begin('fit', 0.65, `Fitting ${tuned.specs.length} experts on all events`);
  const all = buildInteractions(pool.memory, table, rules);
  const forge = new ExpertForge(pool, {
    ...{ table, x: all, hidden: null, seed },
    ...{ gammas: gammasOf(parameters), historyCap: rules.historyCap },
  });
  const experts = [];
  for (const [n, spec] of tuned.specs.entries()) {
    clock.tell(0.65 + (0.25 * n) / tuned.specs.length, `Fitting ${spec.family.replace('_', ' ')}`);
    experts.push(toModelExpert(await forge.forge(spec), table.itemCount));
  }
  clock.begin('vectors', 0.92, 'Laying out vectors of taste');
  const vectors = await tasteVectors(forge, table.itemCount);
  pool.memory.release(mark);

  const model: G1Model = {
    itemIds: table.itemIds,
    warmItemCount: table.itemCount,
    targetEventType: table.typeNames[table.targetType],
    typeWeights: Object.fromEntries(table.typeNames.map((name, type) => [name, rules.typeWeights[type]])),
    historyCap: rules.historyCap,
    experts,
    blend: { weights: tuned.weights, transform: tuned.transform },
    repeats: { rate, recommendSeen },
    vectors,
    calibration,
    coldUsers: null,
    metrics,
    settings: settingsOf(tuned, rules, validation, parameters, table, judgeRows.length),
    seed,
  };
  checkModel(model);
  return { model, metrics };
}

/** null: all users. Otherwise a sample that keeps the events in bounds, chosen by hash. */
function tuningUsers(table: EventTable, seed: number): Uint32Array | undefined {
  if (table.length <= TUNING_EVENTS) return undefined;
  const share = TUNING_EVENTS / table.length;
  const chosen: number[] = [];
  for (let user = 0; user < table.userCount; user++) {
    if (hash32(seed ^ 0x5bd1e995, user) / 4294967296 < share) chosen.push(user);
  }
  return Uint32Array.from(chosen.length > 0 ? chosen : [0]);
}

/** Too few users to judge: experts at their defaults, equally weighted, order only where it is known. */
function untuned(parameters: AlgorithmParameters, ordered: boolean): Tuned {
  const wants = (family: string) =>
    parameters.experts === undefined || parameters.experts.some((name) => name === family);
  const specs: ExpertSpec[] = [];
  const walk = { gamma: 1, beta: 0.5, delta: 0.25, rho: ordered ? 0.4 : 0, ...parameters.walk };
  if (wants('walk')) specs.push({ family: 'walk', ...walk });
  if (ordered && wants('transitions')) specs.push({ family: 'transitions', variant: 'window' });
  specs.push({ family: 'popularity', half_life_days: parameters.popularity?.half_life_days ?? null });
  const weights = specs.map((spec) => (spec.family === 'popularity' ? 0.1 : 1));
  return { specs, weights, transform: { kind: 'linear' }, ndcg: 0, tried: [] };
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

function settingsOf(
  tuned: Tuned,
  rules: InteractionRules,
  validation: ValidationKind,
  parameters: AlgorithmParameters,
  table: EventTable,
  judges: number,
): Record<string, unknown> {
  return {
    experts: tuned.specs.map((spec, n) => ({ ...spec, weight: Math.round(tuned.weights[n] * 1e4) / 1e4 })),
    transform: tuned.transform,
    tuned_ndcg: Math.round(tuned.ndcg * 1e5) / 1e5,
    tried: tuned.tried.map(({ spec, ndcg }) => ({ ...spec, ndcg: Math.round(ndcg * 1e5) / 1e5 })),
    event_type_weights: Object.fromEntries(table.typeNames.map((name, type) => [name, rules.typeWeights[type]])),
    value_weighting: rules.valueShape,
    history_cap: rules.historyCap,
    half_life_days: rules.halfLifeMs === null ? null : rules.halfLifeMs / DAY_MS,
    validation,
    validation_users: judges,
    given: parameters,
  };
}
