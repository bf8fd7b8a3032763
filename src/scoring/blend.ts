// The blend where next items are asked: z = Σ_k w_k f(share_k). Weights are found by coordinate steps on the NDCG of held-out items, from the best expert
// of each family side by side; a step is kept when it gains clearly. What is held out is not quite what will be asked, and
// blends that lean on one family for a gain within the noise did worse on tests than balanced ones. The best f wins.

import type { BlendTransform } from '../artifact/g1-model.ts';
import type { KernelPool } from '../kernels/kernel-pool.ts';
import type { ScoreBlock } from './score-block.ts';

/** Users whose held-out items judge the blend: histories newest first, on kernel memory. */
export interface JudgeUsers {
  readonly count: number;
  readonly offsets: Uint32Array;
  readonly items: Uint32Array;
  readonly weights: Float32Array;
  readonly seen: Uint8Array;
  /** held-out items of judge u: targets[targetOffsets[u] …) */
  readonly targetOffsets: Uint32Array;
  readonly targets: Uint32Array;
}

export interface BlendChoice {
  readonly weights: number[];
  readonly transform: BlendTransform;
  readonly ndcg: number;
}

const PER_LANE = 60;
/** Lanes agree on most of their best items: the union is far smaller than the sum. */
const MAX_CANDIDATES = 400;
const STEPS = [0.5, -0.5, 0.2, -0.2, 0.1, -0.1, 0.05, -0.05];
/** A step must gain this share of the NDCG. */
const MIN_GAIN = 1e-3;
const MAX_ROUNDS = 8;
const LOG_CONSTANTS = [0.03, 0.003, 0.3, 0];
const NOTHING = -1e30;

export function idealGain(relevant: number, cutoff: number): number {
  let sum = 0;
  for (let rank = 0; rank < Math.min(relevant, cutoff); rank++) sum += 1 / Math.log2(rank + 2);
  return sum;
}

/**
 * `start`: a weight for every lane. `mayBeNegative`: whether an expert may count against an item. `hurry` says that the time
 * for the search is over: what was found so far is answered.
 */
export async function searchBlend(
  pool: KernelPool,
  block: ScoreBlock,
  judges: JudgeUsers,
  cutoff: number,
  start: readonly number[],
  mayBeNegative: boolean,
  hurry: () => boolean,
): Promise<BlendChoice> {
  const { memory } = pool;
  const mark = memory.mark();
  const { lanes, usedLanes, itemCount } = block;
  const slot = Math.min(itemCount, PER_LANE * usedLanes, MAX_CANDIDATES);
  const counts = memory.u32(judges.count);
  const places = memory.u32(judges.count + 1);
  const items = memory.u32(judges.count * slot);
  const shares = memory.f32(judges.count * slot * lanes);
  const extra = Math.ceil(block.scratchBytes / 64) * 64;
  await pool.run(
    'collectCandidates',
    [
      ...[block.pointer, judges.offsets, judges.items, judges.weights, judges.seen, PER_LANE, usedLanes, slot],
      ...[counts, items, shares, extra],
    ],
    judges.count,
    extra + itemCount * 4 + PER_LANE * 4,
  );
  let longest = 4;
  places[0] = 0;
  for (let user = 0; user < judges.count; user++) {
    const length = Math.ceil(counts[user] / 4) * 4;
    longest = Math.max(longest, length);
    places[user + 1] = places[user] + length;
  }
  const total = places[judges.count];
  const relevantOffsets = memory.u32(judges.count + 1);
  const relevant = memory.u32(judges.targets.length);
  const inverseIdeal = memory.f32(judges.count);
  relevantOffsets[0] = 0;
  for (let user = 0, found = 0; user < judges.count; user++) {
    const wanted = new Set(judges.targets.subarray(judges.targetOffsets[user], judges.targetOffsets[user + 1]));
    inverseIdeal[user] = 1 / Math.max(1e-9, idealGain(wanted.size, cutoff));
    for (let n = 0; n < counts[user]; n++) if (wanted.has(items[user * slot + n])) relevant[found++] = places[user] + n;
    relevantOffsets[user + 1] = found;
  }
  const discounts = memory.f32(cutoff);
  for (let rank = 0; rank < cutoff; rank++) discounts[rank] = 1 / Math.log2(rank + 2);
  const steps = memory.f32(STEPS.length);
  const gains = memory.f32(judges.count * STEPS.length);
  const z = memory.f32(total);
  const columns = memory.f32(total * usedLanes);

  const tryOn = async (lane: number, sizes: readonly number[]): Promise<number[]> => {
    steps.set(sizes);
    const column = columns.byteOffset + lane * total * 4;
    await pool.run(
      'trySteps',
      [
        ...[column, z, places, relevantOffsets, relevant, inverseIdeal],
        ...[discounts, cutoff, steps, sizes.length, gains],
      ],
      judges.count,
      longest * 4,
    );
    const sums = sizes.map(() => 0);
    for (let user = 0; user < judges.count; user++) {
      for (let n = 0; n < sizes.length; n++) sums[n] += gains[user * sizes.length + n];
    }
    return sums.map((sum) => sum / judges.count);
  };
  const apply = (lane: number, size: number) =>
    pool.kernels.applyStep(columns.byteOffset + lane * total * 4, z.byteOffset, size, 0, total, 0);
  const resetZ = () => {
    for (let user = 0; user < judges.count; user++) {
      z.fill(0, places[user], places[user] + counts[user]);
      z.fill(NOTHING, places[user] + counts[user], places[user + 1]);
    }
  };

  let best: BlendChoice | null = null;
  for (const c of LOG_CONSTANTS) {
    if (best !== null && hurry()) break;
    await pool.run(
      'shareColumns',
      [counts, shares, slot, lanes, usedLanes, c, places, total, columns],
      judges.count,
      64,
    );
    const weights = new Array<number>(usedLanes).fill(0);
    resetZ();
    let current = 0;
    for (const [lane, weight] of start.entries()) {
      if (weight === 0) continue;
      weights[lane] = weight;
      apply(lane, weight);
    }
    [current] = await tryOn(0, [0]);
    for (let round = 0; round < MAX_ROUNDS && !hurry(); round++) {
      let moved = false;
      for (let lane = 0; lane < usedLanes; lane++) {
        const results = (await tryOn(lane, STEPS)).map((ndcg, n) =>
          mayBeNegative || weights[lane] + STEPS[n] > -1e-6 ? ndcg : 0,
        );
        const at = results.indexOf(Math.max(...results));
        if (results[at] <= current * (1 + MIN_GAIN)) continue;
        current = results[at];
        weights[lane] += STEPS[at];
        apply(lane, STEPS[at]);
        moved = true;
      }
      if (!moved) break;
    }
    if (best === null || current > best.ndcg) {
      // Columns were scaled so that f(1) = 1; the model's f is log(1 + x/c) itself.
      const scale = c > 0 ? 1 / Math.log1p(1 / c) : 1;
      best = {
        weights: weights.map((weight) => (Math.abs(weight) < 1e-6 ? 0 : weight * scale)),
        transform: c > 0 ? { kind: 'log', c } : { kind: 'linear' },
        ndcg: current,
      };
    }
  }
  memory.release(mark);
  return best!;
}
