// Chooses the experts of a model: the settings of each family are chosen by the quality of the expert alone. Settings
// fixed by parameters are not searched.
import type { AlgorithmParameters } from '../domain/algorithm-parameters.ts';
import type { ExpertForge } from './expert-forge.ts';
import {
  bestLowRank,
  bestPopularity,
  bestRepeats,
  bestRidges,
  bestTransitions,
  bestWalks,
  type GridInput,
} from './expert-grids.ts';
import type { ExpertSpec } from './expert-spec.ts';
import type { ExpertTrials } from './expert-trials.ts';
import type { TrainingClock } from './training-clock.ts';

/**
 * Returns the experts in the order of lanes: popularity, which every model has, comes last. `returns` judges experts of
 * items that users come back to.
 */
export async function chooseExperts(
  forge: ExpertForge,
  input: GridInput,
  { trials, returns }: { trials: ExpertTrials; returns: ExpertTrials | null },
  clock: TrainingClock,
): Promise<ExpertSpec[]> {
  const { parameters, ordered } = input;
  const chosen: ExpertSpec[] = [];
  clock.tell(0.1, 'Trying popularity');
  const popularity = await bestPopularity(input, forge, trials);
  if (returns !== null) chosen.push(...(await bestRepeats(returns)));
  if (wants(parameters, 'walk')) {
    clock.tell(0.15, 'Trying walks');
    chosen.push(...(await bestWalks(input, trials)));
  }
  if (ordered && wants(parameters, 'transitions')) {
    clock.tell(0.25, 'Trying transitions');
    chosen.push(...(await bestTransitions(input, trials)));
  }
  if (wants(parameters, 'local_ridge') && !clock.isLate()) {
    clock.tell(0.3, 'Trying local ridges');
    chosen.push(...(await bestRidges(input, forge, trials)));
  }
  if (wants(parameters, 'low_rank') && !clock.isLate()) {
    clock.tell(0.45, 'Trying low rank');
    chosen.push(...(await bestLowRank(input, trials)));
  }
  return [...chosen, popularity];
}

/**
 * Used if there are too few questions to choose by: experts with default settings, and with order only if it is known.
 */
export function defaultExperts(
  parameters: AlgorithmParameters,
  { ordered, comeBack, halfLifeDays }: { ordered: boolean; comeBack: boolean; halfLifeDays: number | null },
): ExpertSpec[] {
  const specs: ExpertSpec[] = comeBack ? [{ family: 'repeat', rho: 0.4 }] : [];
  const walk = { gamma: 1, beta: 0.5, delta: 0.25, rho: ordered ? 0.4 : 0, ...parameters.walk };
  if (wants(parameters, 'walk')) specs.push({ family: 'walk', ...walk });
  if (ordered && wants(parameters, 'transitions')) specs.push({ family: 'transitions', variant: 'window' });
  specs.push({ family: 'popularity', half_life_days: halfLifeDays });
  return specs;
}

function wants(parameters: AlgorithmParameters, family: NonNullable<AlgorithmParameters['experts']>[number]): boolean {
  return parameters.experts === undefined || parameters.experts.includes(family);
}
