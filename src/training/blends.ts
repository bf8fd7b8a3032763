// The blends a search chooses from, z = Σ_k w_k f(share_k): plain ones, in which every family of experts counts alike, and one
// whose weights are learned from questions. Which one is taken is decided on other questions (choose-scoring.ts).
import type { BlendTransform } from '../artifact/g1-model.ts';
import { isWhole } from '../experts/dense-ridge.ts';
import type { KernelPool } from '../kernels/kernel-pool.ts';
import type { ScoreBlock } from '../scoring/score-block.ts';
import type { ExpertSpec, Forged } from './expert-forge.ts';
import type { ExpertTrials } from './expert-trials.ts';
import { historyArguments, type Judges } from './judges.ts';
import { fitSoftmax } from './softmax.ts';

export interface LaneBlend {
  readonly name: string;
  /** in the order of the lanes */
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
/** Where ridges see all items at once, low rank has no gaps of theirs to fill. */
const WORTHY_BESIDE_WHOLE_RIDGES = 0.95;
/** What popularity may count beside a family: on small shops it says the most. */
const POPULARITY_WEIGHTS = [0.03, 0.1, 0.3, 1, 3];
const TIE_BREAK = 0.02;
/** c of ln(1 + x/c) in a learned blend. */
const LEARNED_C = 0.03;
const PER_LANE = 60;
/** Lanes agree on most of their best items: the union is far smaller than the sum. */
const MAX_UNION = 400;
const MIN_USABLE = 50;

/** Families that are worth it count 1 each, shared by their experts, beside more or less of popularity; and the best single expert. */
export function plainBlends(
  experts: readonly Forged[],
  trials: ExpertTrials,
  itemCount: number,
): { equal: LaneBlend[]; single: LaneBlend } {
  const ndcgs = experts.map(({ spec }) => trials.ndcgOf(spec));
  const best = Math.max(...ndcgs);
  const whole = experts.some(({ spec }) => spec.family === 'local_ridge' && isWhole(itemCount, spec.neighbours));
  const bar = (family: Family) => (whole && family === 'low_rank' ? WORTHY_BESIDE_WHOLE_RIDGES : WORTHY[family]) * best;
  const leading = new Map<Family, number>();
  for (const [n, { spec }] of experts.entries()) {
    leading.set(spec.family, Math.max(leading.get(spec.family) ?? 0, ndcgs[n]));
  }
  const takesPart = ({ spec }: Forged) => spec.family !== 'popularity' && leading.get(spec.family)! >= bar(spec.family);
  const sharing = new Map<Family, number>();
  for (const expert of experts) {
    if (takesPart(expert)) sharing.set(expert.spec.family, (sharing.get(expert.spec.family) ?? 0) + 1);
  }
  // Where nothing finds anything that is held out, all count alike.
  const shares = experts.map((expert) =>
    sharing.size === 0 ? 1 : takesPart(expert) ? 1 / sharing.get(expert.spec.family)! : 0,
  );
  const linear = { kind: 'linear' } as const;
  const isPopularity = experts.map(({ spec }) => spec.family === 'popularity');
  const equal = POPULARITY_WEIGHTS.map((popularity) => ({
    name: `equal families, popularity ${popularity}`,
    weights: shares.map((share, n) => (isPopularity[n] ? popularity : share)),
    transform: linear,
  }));
  const leader = ndcgs.indexOf(best);
  const single = {
    name: `${experts[leader].spec.family} alone`,
    // The others only order what it leaves equal.
    weights: experts.map((_, n) => (n === leader ? 1 : isPopularity[n] ? TIE_BREAK / 10 : TIE_BREAK * shares[n])),
    transform: linear,
  };
  return { equal, single };
}

/** Weights under which the targets are most likely among the best items of every lane; null when too few are among them. */
export async function learnedBlend(pool: KernelPool, block: ScoreBlock, judges: Judges): Promise<LaneBlend | null> {
  const { memory } = pool;
  const mark = memory.mark();
  const { lanes, usedLanes, itemCount } = block;
  const slot = Math.min(itemCount, PER_LANE * usedLanes, MAX_UNION);
  const counts = memory.u32(judges.count);
  const items = memory.u32(judges.count * slot);
  const features = memory.f32(judges.count * slot * lanes);
  const extra = Math.ceil(block.scratchBytes / 64) * 64;
  const [offsets, history, weights, seen, , excludedOffsets, excluded] = historyArguments(judges);
  await pool.run(
    'collectCandidates',
    [
      ...[block.pointer, offsets, history, weights, seen, excludedOffsets, excluded],
      ...[PER_LANE, usedLanes, slot, counts, items, features, extra],
    ],
    judges.count,
    extra + itemCount * 4 + PER_LANE * 4,
  );
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
    // A question without a target among its candidates says nothing: it takes no time either.
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
      : await fitSoftmax(pool, {
          ...{ questions: judges.count, slot, counts, features, width: lanes, items, facts, factWidth: 0, labels },
        });
  memory.release(mark);
  if (fitted === null) return null;
  return { name: 'learned', weights: [...fitted.slice(0, usedLanes)], transform: { kind: 'log', c: LEARNED_C } };
}
