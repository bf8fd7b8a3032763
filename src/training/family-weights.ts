// Weights by family: what a blend starts from, or what it stays at.
import { isWhole } from '../experts/dense-ridge.ts';
import type { ExpertSpec, Forged } from './expert-forge.ts';
import type { ExpertTrials } from './expert-trials.ts';

type Family = ExpertSpec['family'];

/** A family takes part when its best expert reaches this share of the best of all. */
const WORTHY: Readonly<Record<Family, number>> = {
  ...{
    local_ridge: 0.6,
    walk: 0.85,
    transitions: 0.6,
    low_rank: 0.7,
    repeat: 0.6,
    popularity: Number.POSITIVE_INFINITY,
  },
};
/** Where ridges see all items at once, low rank has no gaps of theirs to fill. */
const WORTHY_BESIDE_WHOLE_RIDGES = 0.95;
/** Experts of a family that share its weight. */
const SHARING = 2;
/** Popularity orders what the others leave equal. */
const POPULARITY = 0.03;
const TIE_BREAK = 0.02;

/** The experts of each family that takes part, best first. */
function families(experts: readonly Forged[], trials: ExpertTrials, itemCount: number): Forged[][] {
  const byFamily = Map.groupBy(experts, ({ spec }) => spec.family);
  const ndcgOf = ({ spec }: Forged) => trials.ndcgOf(spec);
  const best = Math.max(...experts.map(ndcgOf));
  const ranked = [...byFamily.values()].map((members) => members.toSorted((a, b) => ndcgOf(b) - ndcgOf(a)));
  const whole = experts.some(({ spec }) => spec.family === 'local_ridge' && isWhole(itemCount, spec.neighbours));
  const worthy = (family: Family) => (whole && family === 'low_rank' ? WORTHY_BESIDE_WHOLE_RIDGES : WORTHY[family]);
  return ranked.filter(([leader]) => ndcgOf(leader) > worthy(leader.spec.family) * best);
}

/** Every family counts 1, shared by its best experts; popularity a little. */
export function equalShares(experts: readonly Forged[], trials: ExpertTrials, itemCount: number): number[] {
  const weights = new Map<Forged, number>();
  for (const members of families(experts, trials, itemCount)) {
    const sharing = members.slice(0, SHARING);
    for (const expert of sharing) weights.set(expert, 1 / sharing.length);
  }
  return orAll(
    experts,
    experts.map((expert) => weights.get(expert) ?? (expert.spec.family === 'popularity' ? POPULARITY : 0)),
  );
}

/** The best expert of every family counts 1. */
export function leaders(experts: readonly Forged[], trials: ExpertTrials, itemCount: number): number[] {
  const leading = new Set(families(experts, trials, itemCount).map(([leader]) => leader));
  return orAll(
    experts,
    experts.map((expert) => (leading.has(expert) ? 1 : 0)),
  );
}

/** Where nothing finds anything that is held out, all count alike. */
function orAll(experts: readonly Forged[], weights: number[]): number[] {
  return experts.some(({ spec }, n) => spec.family !== 'popularity' && weights[n] > 0) ? weights : experts.map(() => 1);
}

/**
 * A blend of the last few items alone leaves most items unranked. When the search ended there, the best walk joins with a
 * weight that only orders what the others leave equal.
 */
export function withBroadExpert(
  lanes: { expert: Forged; weight: number }[],
  chosen: readonly ExpertSpec[],
): { expert: Forged; weight: number }[] {
  const isBroad = (spec: ExpertSpec) => spec.family === 'walk' || spec.family === 'local_ridge';
  if (lanes.some(({ expert, weight }) => isBroad(expert.spec) && weight > 0)) return lanes;
  const walk = chosen.find((spec) => spec.family === 'walk');
  const largest = Math.max(...lanes.map(({ weight }) => Math.abs(weight)));
  return lanes.map((lane) => (lane.expert.spec === walk ? { ...lane, weight: TIE_BREAK * largest } : lane));
}
