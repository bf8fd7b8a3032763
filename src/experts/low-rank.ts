// Expert D, low rank: the leading right singular space V of X̃ = D_u^−½ X D_i^−½, by subspace iteration from a seeded start.
// A history's items are projected on it and back: score_j = Σ_l q_l d_i^−½ (V_i · V_j) d_j^½, kept as sparse rows like those
// of every other expert. V also gives the vectors of taste that clustering and the map use.
import type { HistoryBlock, HistoryBlocks } from '../dataset/history-blocks.ts';
import { hash32 } from '../dataset/random.ts';
import type { KernelPool } from '../kernels/kernel-pool.ts';
import { allocateSlotRows, type SlotRows } from './slot-rows.ts';

/** Fixed, so that partial sums add up in the same order whatever the number of threads. */
const GRAM_CHUNK_ROWS = 512;
const ITERATIONS = 5;
/** Fewer iterations are needed from a space of nearly the same events. */
const ITERATIONS_FROM_START = 2;

export interface SingularSpace {
  /** must be a multiple of four */
  readonly width: number;
  /** items × width, orthonormal columns, the strongest direction first */
  readonly basis: Float32Array;
}

const WIDEST = 256;
/** Memory for subspace iteration besides the experts. Half of it is for the space itself. */
export const SPACE_BYTES = 700e6;

/** Returns as many directions as fit in the budget, at most 256. */
export function spaceWidth(itemCount: number, userCount: number): number {
  const affordable = SPACE_BYTES / (4 * (2 * itemCount + userCount));
  return Math.max(4, Math.floor(Math.min(WIDEST, itemCount, affordable) / 4) * 4);
}

/** `start`: the space of nearly the same events, if it is known; it is used if it is wide enough. */
export async function singularSpace(
  pool: KernelPool,
  { histories, degrees }: { histories: HistoryBlocks; degrees: Float32Array },
  width: number,
  { seed, start }: { seed: number; start?: SingularSpace | null },
): Promise<SingularSpace> {
  const { memory } = pool;
  const { itemCount } = histories;
  const basis = memory.f32(itemCount * width);
  const mark = memory.mark();
  const next = memory.f32(itemCount * width);
  const small = memory.f32(width * width);
  const partial = memory.f32(Math.ceil(itemCount / GRAM_CHUNK_ROWS) * width * width);
  const itemScales = memory.f32(itemCount);
  for (let item = 0; item < itemCount; item++) itemScales[item] = degrees[item] > 0 ? degrees[item] ** -0.5 : 0;
  const isStarted = start != null && start.width >= width;
  if (isStarted) {
    for (let item = 0, from = 0; item < itemCount; item++, from += start.width) {
      basis.set(start.basis.subarray(from, from + width), item * width);
    }
  } else for (let at = 0; at < basis.length; at++) basis[at] = hash32(seed, at) / 2147483648 - 1;
  for (let turn = 0; turn < (isStarted ? ITERATIONS_FROM_START : ITERATIONS); turn++) {
    await histories.each((x) => addProducts(pool, x, { itemScales, basis, width, next }));
    await pool.run('gramOfTall', [next, width, GRAM_CHUNK_ROWS, partial], {
      rows: itemCount,
      scratchBytes: 64,
      chunkRows: GRAM_CHUNK_ROWS,
    });
    small.set(inverseCholesky(sumOfParts(partial, width), width));
    await pool.run('tallTimesUpper', [next, width, small, basis], { rows: itemCount, scratchBytes: 64 });
  }
  memory.release(mark);
  return { width, basis };
}

/** next += X̃ᵀ X̃ basis, for the users of a block. */
async function addProducts(
  pool: KernelPool,
  x: HistoryBlock,
  {
    itemScales,
    basis,
    width,
    next,
  }: { itemScales: Float32Array; basis: Float32Array; width: number; next: Float32Array },
): Promise<void> {
  const { memory } = pool;
  const mark = memory.mark();
  const users = memory.f32(x.userCount * width);
  const userScales = memory.f32(x.userCount);
  for (let user = 0; user < x.userCount; user++) {
    const count = x.userOffsets[user + 1] - x.userOffsets[user];
    userScales[user] = count > 0 ? count ** -0.5 : 0;
  }
  await pool.run('rowsTimesDense', [x.userOffsets, x.items, x.weights, userScales, itemScales, basis, width, users], {
    rows: x.userCount,
    scratchBytes: 64,
  });
  const factors = [x.itemOffsets, x.entries, x.entryUsers, x.weights, itemScales, userScales, users, width];
  await pool.run('columnsTimesDense', [...factors, next, Number(x.isFirst), Number(x.isLast)], {
    rows: x.itemCount,
    scratchBytes: 64,
  });
  memory.release(mark);
}

function sumOfParts(parts: Float32Array, width: number): Float64Array {
  const size = width * width;
  const sum = new Float64Array(size);
  // The kernel makes the upper half.
  for (let from = 0; from < parts.length; from += size) {
    for (let r = 0; r < width; r++) {
      for (let at = r * width + r; at < (r + 1) * width; at++) sum[at] += parts[from + at];
    }
  }
  for (let r = 1; r < width; r++) for (let c = 0; c < r; c++) sum[r * width + c] = sum[c * width + r];
  return sum;
}

/** R⁻¹ of AᵀA = RᵀR (R upper): A R⁻¹ has orthonormal columns. A direction that vanished becomes a zero column. */
function inverseCholesky(gram: Float64Array, n: number): Float64Array {
  const lower = new Float64Array(n * n);
  let trace = 0;
  for (let k = 0; k < n; k++) trace += gram[k * n + k];
  const floor = (trace / n) * 1e-10;
  const alive = new Uint8Array(n);
  for (let r = 0; r < n; r++) {
    for (let c = 0; c <= r; c++) {
      let sum = gram[r * n + c];
      for (let k = 0; k < c; k++) sum -= lower[r * n + k] * lower[c * n + k];
      if (c < r) lower[r * n + c] = alive[c] ? sum / lower[c * n + c] : 0;
      else if (sum > floor) {
        alive[r] = 1;
        lower[r * n + r] = Math.sqrt(sum);
      }
    }
  }
  // The columns of R⁻¹ = (L⁻¹)ᵀ.
  const inverse = new Float64Array(n * n);
  for (let c = 0; c < n; c++) {
    if (!alive[c]) continue;
    inverse[c * n + c] = 1 / lower[c * n + c];
    for (let r = c + 1; r < n; r++) {
      if (!alive[r]) continue;
      let sum = 0;
      for (let k = c; k < r; k++) sum -= lower[r * n + k] * inverse[c * n + k];
      inverse[c * n + r] = sum / lower[r * n + r];
    }
  }
  return inverse;
}

/**
 * Rows of the expert out of the first `factors` directions: entry (i, j) = d_i^−½ (V_i · V_j) d_j^½ for the j that `near` names
 * next to i, the `slot` largest kept. `near` are the largest of the gram's rows: items that hardly anybody has together score near zero.
 */
export async function lowRankRows(
  pool: KernelPool,
  { near, space, degrees }: { near: SlotRows; space: SingularSpace; degrees: Float32Array },
  factors: number,
  slot: number,
): Promise<SlotRows> {
  const { memory } = pool;
  const itemCount = degrees.length;
  const rows = allocateSlotRows(memory, itemCount, slot);
  const mark = memory.mark();
  const rowScales = memory.f32(itemCount);
  const columnScales = memory.f32(itemCount);
  for (let item = 0; item < itemCount; item++) {
    columnScales[item] = Math.sqrt(Math.max(1, degrees[item]));
    rowScales[item] = 1 / columnScales[item];
  }
  await pool.run(
    'projectRows',
    [
      near.counts,
      near.columns,
      near.slot,
      space.basis,
      space.width,
      Math.min(factors, space.width),
      rowScales,
      columnScales,
      slot,
      rows.counts,
      rows.columns,
      rows.values,
    ],
    { rows: itemCount, scratchBytes: near.slot * 4 + slot * 4 },
  );
  memory.release(mark);
  return rows;
}
