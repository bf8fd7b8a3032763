// Chooses what a model is made of, on held-out newest events: each family's settings by its own NDCG, then how the best of all
// families are blended. What the parameters fix is not searched.

import type { BlendTransform } from '../artifact/g1-model.ts';
import type { EventTable } from '../dataset/event-table.ts';
import type { Interactions } from '../dataset/interactions.ts';
import type { ValidationKind } from '../dataset/split.ts';
import type { AlgorithmParameters } from '../domain/algorithm-parameters.ts';
import type { KernelPool } from '../kernels/kernel-pool.ts';
import { type BlendChoice, type JudgeUsers, searchBlend } from '../scoring/blend.ts';
import { meanNdcg } from './evaluate.ts';
import type { ExpertForge, ExpertSpec, Forged } from './expert-forge.ts';
import { bestLowRank, bestPopularity, bestRepeats, bestRidges, bestTransitions, bestWalks } from './expert-grids.ts';
import { type ExpertTrial, ExpertTrials } from './expert-trials.ts';
import { equalShares, leaders, withBroadExpert } from './family-weights.ts';
import type { TrainingClock } from './training-clock.ts';

export interface TuneInput {
  readonly table: EventTable;
  readonly x: Interactions;
  readonly judges: JudgeUsers;
  readonly parameters: AlgorithmParameters;
  readonly ordered: boolean;
  readonly recommendSeen: boolean;
  readonly validation: ValidationKind;
  /** NDCG is taken at this length */
  readonly cutoff: number;
}

export interface Tuned {
  readonly specs: readonly ExpertSpec[];
  readonly weights: readonly number[];
  readonly transform: BlendTransform;
  readonly ndcg: number;
  /** NDCG of every expert tried, by itself */
  readonly tried: readonly ExpertTrial[];
}

export const TUNING_CUTOFF = 20;
const MANY_JUDGES = 1000;

/** Answers the choice, and its experts as fitted for the search: they stand on the forge's memory. */
export async function tune(
  pool: KernelPool,
  forge: ExpertForge,
  input: TuneInput,
  clock: TrainingClock,
): Promise<{ tuned: Tuned; forged: Forged[] }> {
  const trials = new ExpertTrials(pool, forge, input, clock);
  const chosen = await chooseExperts(forge, input, trials, clock);
  clock.begin('blend', 0.5, `Blending ${chosen.length} experts`);
  const forged: Forged[] = [];
  for (const spec of chosen) forged.push(await forge.forge(spec));
  const { order, blend } = await chooseBlend(pool, forge, forged, input, trials, clock);
  const lanes = withBroadExpert(
    order.map((expert, n) => ({ expert, weight: blend.weights[n] })),
    chosen,
  );
  // Popularity stays, whatever its weight: users without history are served from it.
  const used = lanes.filter(({ expert, weight }) => weight !== 0 || expert.spec.family === 'popularity');
  const tuned = {
    specs: used.map(({ expert }) => expert.spec),
    weights: used.map(({ weight }) => weight),
    transform: blend.transform,
    ndcg: blend.ndcg,
    tried: trials.tried,
  };
  return { tuned, forged: used.map(({ expert }) => expert) };
}

async function chooseExperts(
  forge: ExpertForge,
  input: TuneInput,
  trials: ExpertTrials,
  clock: TrainingClock,
): Promise<ExpertSpec[]> {
  const { parameters, ordered, recommendSeen } = input;
  const wants = (family: NonNullable<AlgorithmParameters['experts']>[number]) =>
    parameters.experts === undefined || parameters.experts.includes(family);
  const chosen: ExpertSpec[] = [];
  clock.begin('tune', 0.1, 'Trying popularity');
  const popularity = await bestPopularity(input, trials);
  if (recommendSeen) chosen.push(...(await bestRepeats(trials)));
  if (wants('walk')) {
    clock.tell(0.15, 'Trying walks');
    chosen.push(...(await bestWalks(input, trials)));
  }
  if (ordered && wants('transitions')) {
    clock.tell(0.25, 'Trying transitions');
    chosen.push(...(await bestTransitions(input, trials)));
  }
  if (wants('local_ridge') && !clock.isLate()) {
    clock.tell(0.3, 'Trying local ridges');
    chosen.push(...(await bestRidges(input, forge, trials)));
  }
  if (wants('low_rank') && !clock.isLate()) {
    clock.tell(0.45, 'Trying low rank');
    chosen.push(...(await bestLowRank(input, trials)));
  }
  return [...chosen, popularity];
}

/**
 * Where the next item of each user is held out, and it is what will be asked, the weights are searched for. What a fifth of
 * the history favours is not what the future favours: weights fitted to it did worse on every test than families that count
 * alike, so it decides only which experts take part.
 */
async function chooseBlend(
  pool: KernelPool,
  forge: ExpertForge,
  forged: readonly Forged[],
  { x, judges, cutoff, validation, recommendSeen }: TuneInput,
  trials: ExpertTrials,
  clock: TrainingClock,
): Promise<{ order: readonly Forged[]; blend: BlendChoice }> {
  if (validation === 'last_item') {
    const { block, order } = forge.block(forged, [], 0, recommendSeen);
    // Negative weights fit what is peculiar to the judges when these are few, until items that nothing speaks for outrank
    // those that something does.
    const mayBeNegative = judges.count >= MANY_JUDGES;
    const start = leaders(order, trials, x.itemCount);
    const late = () => clock.isLate();
    return { order, blend: await searchBlend(pool, block, judges, cutoff, start, mayBeNegative, late) };
  }
  const weights = equalShares(forged, trials, x.itemCount);
  const { block, order } = forge.block(forged, weights, 0, recommendSeen);
  const ndcg = await meanNdcg(pool, block, judges, cutoff, !recommendSeen);
  const inOrder = order.map((expert) => weights[forged.indexOf(expert)]);
  return { order, blend: { weights: inOrder, transform: { kind: 'linear' }, ndcg } };
}
