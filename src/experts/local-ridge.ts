// Expert A, local ridge: for each item j, N = the K items with the largest G_ij · G_ii^−0.3, and the weights w of the ridge
// regression (G[N,N] + λ m I) w = G[N,j], m the mean of the gram's diagonal. W[N,j] = w.
import type { KernelPool } from '../kernels/kernel-pool.ts';
import { type Gram, meanDiagonal, WHOLE_ROWS } from './gram.ts';
import type { SlotRows } from './slot-rows.ts';

const PICK_POWER = 0.3;
const MAX_NEIGHBORS = 260;
const MIN_NEIGHBORS = 24;
/** An item with d users is regressed on up to this many times √d items: few users cannot tell more of them apart. */
const NEIGHBORS_PER_ROOT = 16;
/** items · K³: what one fit may cost */
const CUBE_BUDGET = 5e10;

/** K: as many neighbors as the cost allows; of small catalogs all items. */
export function defaultNeighbors(itemCount: number): number {
  if (itemCount <= WHOLE_ROWS) return itemCount;
  const affordable = Math.cbrt(CUBE_BUDGET / Math.max(1, itemCount));
  return Math.round(Math.max(MIN_NEIGHBORS, Math.min(MAX_NEIGHBORS, affordable)) / 4) * 4;
}

/**
 * Columns of W, one set for each λ: entry (j, i) of a set is W_ij. They share counts and columns. `degrees`: how many users each
 * item has.
 */
export async function localRidgeColumns(
  pool: KernelPool,
  { gram, degrees }: { gram: Gram; degrees: Float32Array },
  neighbors: number,
  lambdas: readonly number[],
): Promise<SlotRows[]> {
  const { memory } = pool;
  const itemCount = gram.first.counts.length;
  const slot = Math.max(1, Math.min(neighbors, itemCount));
  const counts = memory.u32(itemCount);
  for (let item = 0; item < itemCount; item++) {
    counts[item] = Math.min(slot, Math.ceil(NEIGHBORS_PER_ROOT * Math.sqrt(degrees[item])));
  }
  const columns = memory.u32(itemCount * slot);
  const values = memory.f32(lambdas.length * itemCount * slot);
  const mark = memory.mark();
  const mean = meanDiagonal(gram);
  const pick = memory.f32(itemCount);
  for (let item = 0; item < itemCount; item++) {
    const own = gram.diagonals[2 * item];
    pick[item] = own > 0 ? own ** -PICK_POWER : 0;
  }
  const ridges = memory.f32(lambdas.length);
  ridges.set(lambdas.map((lambda) => Math.max(1e-12, lambda * mean)));
  const { first } = gram;
  const stride = Math.ceil(slot / 4) * 4;
  await pool.run(
    'localRidgeRows',
    [
      first.counts,
      first.columns,
      first.values,
      first.slot,
      gram.diagonals,
      8,
      first.counts,
      first.columns,
      first.values,
      first.slot,
      pick,
      itemCount,
      slot,
      lambdas.length,
      ridges,
      counts,
      columns,
      values,
      itemCount * slot * 4,
    ],
    { rows: itemCount, scratchBytes: itemCount * 2 + first.slot * 4 + slot * 8 + 2 * slot * stride * 4 + 128 },
  );
  memory.release(mark);
  return lambdas.map((_, n) => ({
    slot,
    counts,
    columns,
    values: values.subarray(n * itemCount * slot, (n + 1) * itemCount * slot),
  }));
}
