// The blends a search chooses from, z = Σ_k w_k f(share_k): plain ones, in which every family of experts counts alike, and one
// whose weights are learned from questions. Which one is taken is decided on other questions (choose-scoring.ts).
import type { BlendTransform } from '../artifact/g1-model.ts';
import { isWhole } from '../experts/dense-ridge.ts';
import { transitionQuery } from '../experts/transitions.ts';
import type { KernelPool } from '../kernels/kernel-pool.ts';
import type { ExpertSpec } from './expert-spec.ts';
import { fitChoices } from './fit-choices.ts';
import type { LaneShares } from './lane-shares.ts';

export interface LaneBlend {
  readonly name: string;
  /** one weight per lane, in their order */
  readonly weights: readonly number[];
  readonly transform: BlendTransform;
}

type Family = ExpertSpec['family'];

/** A family takes part when its best expert reaches this share of the best of all. */
const WORTHY: Readonly<Record<Family, number>> = {
  local_ridge: 0.6,
  walk: 0.85,
  transitions: 0.6,
  low_rank: 0.7,
  repeat: 0.6,
  popularity: Number.POSITIVE_INFINITY,
};
/**
 * Weights of families other than 1. Walks count all co-occurrence, while ridges and low rank remove what is redundant.
 */
const FAMILY_WEIGHTS: Readonly<Partial<Record<Family, number>>> = { walk: 0.5 };
/** The bar for low rank if ridges see all items at once: they leave no gaps for it to fill. */
const WORTHY_BESIDE_WHOLE_RIDGES = 0.95;
/** Weights of popularity that are tried next to the families. On small shops popularity predicts best. */
const POPULARITY_WEIGHTS = [0.03, 0.1, 0.3, 1, 3, 10, 30];
const UNJUDGED_POPULARITY = 3;
/** ln 2. With fewer than MIN_QUESTIONS users who went on from one item to another, a connection may be chance. */
const LED_AT_MOST = Math.LN2;
const TIE_BREAK = 0.02;
/** The c of ln(1 + x/c) in a learned blend. */
const LEARNED_C = 0.03;
/**
 * Needs at least this many questions with a target among their candidates: what 50 to 99 taught lost later
 * (bench/engine-notes.md).
 */
export const MIN_USABLE = 100;

export interface PlainBlends {
  /** from hardly any popularity to nearly nothing else: the last follows popularity, and taste breaks ties */
  readonly equal: readonly LaneBlend[];
  readonly single: LaneBlend;
  readonly popular: LaneBlend;
}

/**
 * Families that are worth it count 1 each, shared by their experts, next to more or less of popularity; the best single expert that
 * has something to say of every history; and popularity.
 * `ndcgs`: the NDCG of each expert alone.
 */
export function plainBlends(specs: readonly ExpertSpec[], ndcgs: readonly number[], itemCount: number): PlainBlends {
  const best = Math.max(...ndcgs);
  const whole = specs.some((spec) => spec.family === 'local_ridge' && isWhole(itemCount, spec.neighbours));
  const bar = (family: Family) => (whole && family === 'low_rank' ? WORTHY_BESIDE_WHOLE_RIDGES : WORTHY[family]) * best;
  const leading = new Map<Family, number>();
  for (const [n, { family }] of specs.entries()) leading.set(family, Math.max(leading.get(family) ?? 0, ndcgs[n]));
  // If no expert finds any held-out item, all families count equally.
  const isWorthy = (family: Family) => best === 0 || leading.get(family)! >= bar(family);
  const shares = sharesOf(specs, isWorthy);
  const equal = POPULARITY_WEIGHTS.map((weight) => withPopularity(specs, shares, weight));
  const alone = (leader: number): LaneBlend => ({
    name: `${specs[leader].family} alone`,
    // The other experts only break ties.
    weights: specs.map(({ family }, n) =>
      n === leader ? 1 : family === 'popularity' ? TIE_BREAK / 10 : TIE_BREAK * shares[n],
    ),
    transform: { kind: 'linear' },
  });
  const popularity = specs.findIndex(({ family }) => family === 'popularity');
  const leaders = [...specs.keys()].filter((lane) => readsNewest(specs[lane]));
  const leader = leaders.reduce((most, lane) => (ndcgs[lane] > ndcgs[most] ? lane : most), popularity);
  return { equal, single: alone(leader), popular: alone(popularity) };
}

/** Whether an expert reads the newest item of a history. One that does not has nothing to say about a user with one event. */
function readsNewest(spec: ExpertSpec): boolean {
  if (spec.family !== 'transitions') return true;
  const query = transitionQuery(spec.variant);
  return query.kind === 'power' || query.weights[0] > 0;
}

/**
 * Used if there are too few questions to choose by: all families count equally. For new items, a user's own items play
 * no part.
 */
export function unjudgedBlend(specs: readonly ExpertSpec[], objective: 'discover' | 'any'): LaneBlend {
  const shares = sharesOf(specs, (family) => objective === 'any' || family !== 'repeat');
  return withPopularity(specs, shares, UNJUDGED_POPULARITY);
}

/**
 * For data that cannot tell τ: p ∝ exp(z) must be right without it. An item counts by its users, newer ones more, plus half a user, and
 * up to twice that if the history leads to it. Under `any`, items of the history also count as many times more as the most popular
 * item counts more than one without users.
 * `usersOfMost`: users of the most popular item, newer ones counting more.
 */
export function uncalibratedBlend(
  specs: readonly ExpertSpec[],
  objective: 'discover' | 'any',
  usersOfMost: number,
): LaneBlend {
  const c = 0.5 / Math.max(1, usersOfMost);
  const leads = ({ family }: ExpertSpec) => family !== 'popularity' && family !== 'repeat';
  const led = LED_AT_MOST / Math.log1p(1 / c) / specs.filter(leads).length;
  const own = objective === 'any' ? 1 : 0;
  return {
    name: 'popularity, hardly any taste',
    weights: specs.map((spec) => (leads(spec) ? led : spec.family === 'popularity' ? 1 : own)),
    transform: { kind: 'log', c },
  };
}

/** The weight of each family that takes part, shared by its experts. */
function sharesOf(specs: readonly ExpertSpec[], takesPart: (family: Family) => boolean): number[] {
  const families = Map.groupBy(specs, ({ family }) => family);
  return specs.map(({ family }) =>
    takesPart(family) ? (FAMILY_WEIGHTS[family] ?? 1) / families.get(family)!.length : 0,
  );
}

function withPopularity(specs: readonly ExpertSpec[], shares: readonly number[], popularity: number): LaneBlend {
  return {
    name: `equal families, popularity ${popularity}`,
    weights: specs.map(({ family }, n) => (family === 'popularity' ? popularity : shares[n])),
    transform: { kind: 'linear' },
  };
}

/**
 * Returns the weights with which the targets are most likely among the candidates; null if too few targets are among them.
 * Overwrites the shares.
 */
export async function learnedBlend(
  pool: KernelPool,
  collected: LaneShares,
  usedLanes: number,
): Promise<LaneBlend | null> {
  const { memory } = pool;
  const mark = memory.mark();
  const { judges, slot, lanes, counts, items, shares: features } = collected;
  const labels = memory.f32(judges.count * slot).fill(0);
  let usable = 0;
  for (let u = 0; u < judges.count; u++) {
    const wanted = new Set(judges.targets.subarray(judges.targetOffsets[u], judges.targetOffsets[u + 1]));
    let found = false;
    for (let row = u * slot; row < u * slot + counts[u]; row++) {
      if (!wanted.has(items[row])) continue;
      labels[row] = 1 / wanted.size;
      found = true;
    }
    // A question without a target among its candidates teaches nothing, so it is skipped.
    if (!found) counts[u] = 0;
    else usable++;
    for (let at = u * slot * lanes; at < (u * slot + counts[u]) * lanes; at++) {
      features[at] = Math.log1p(features[at] / LEARNED_C);
    }
  }
  const facts = memory.f32(4).fill(0);
  const fitted =
    usable < MIN_USABLE
      ? null
      : await fitChoices(pool, {
          questions: judges.count,
          slot,
          counts,
          features,
          width: lanes,
          items,
          facts,
          factWidth: 0,
          labels,
        });
  memory.release(mark);
  if (fitted === null) return null;
  return { name: 'learned', weights: [...fitted.slice(0, usedLanes)], transform: { kind: 'log', c: LEARNED_C } };
}
