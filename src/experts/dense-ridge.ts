// Expert A where the catalog is small: every item is a neighbor of every other, and one inverse P = (G + λ m I)⁻¹ solves all
// regressions at once: W_ij = −P_ij / P_jj. It costs items³ where local ridges cost items · K³.
import type { KernelPool } from '../kernels/kernel-pool.ts';
import { type Gram, meanDiagonal, WHOLE_ROWS } from './gram.ts';
import { type LaneRows, laneOnMemory } from './slot-rows.ts';

/** Weights below are left out: six of seven are, and the ranking hardly changes. */
const NEGLIGIBLE_WEIGHT = 2e-3;
const BLOCK = 32;

/** True if K neighbors cover the whole catalog, so the gram is dense. */
export function isWhole(itemCount: number, neighbors: number): boolean {
  return neighbors >= itemCount - 1 && itemCount <= WHOLE_ROWS;
}

export async function denseRidgeRows(pool: KernelPool, gram: Gram, lambda: number): Promise<LaneRows> {
  const { memory } = pool;
  const size = gram.first.counts.length;
  const mark = memory.mark();
  const stride = Math.ceil(size / 16) * 16;
  const matrix = memory.f32(size * stride).fill(0);
  const ridge = Math.max(1e-12, lambda * meanDiagonal(gram));
  const { counts, columns, values, slot } = gram.first;
  for (let row = 0; row < size; row++) {
    for (let at = row * slot; at < row * slot + counts[row]; at++) matrix[row * stride + columns[at]] = values[at];
    matrix[row * stride + row] = gram.diagonals[2 * row] + ridge;
  }
  await invert(pool, matrix, size, stride);
  const found = weightsOf(matrix, size, stride);
  memory.release(mark);
  return laneOnMemory(memory, found);
}

/** Gauss and Jordan by blocks, in place. Positive definite matrices need no pivoting. */
async function invert(pool: KernelPool, matrix: Float32Array, size: number, stride: number): Promise<void> {
  const { memory } = pool;
  const panel = memory.f32(BLOCK * stride);
  const factors = memory.f32(size * BLOCK);
  for (let start = 0; start < size; start += BLOCK) {
    const block = Math.min(BLOCK, size - start);
    const pivot = inverseOf(matrix, start, block, stride);
    // panel = pivot · (the block's rows), and the pivot itself in the block's columns
    for (let r = 0; r < block; r++) {
      for (let b = 0; b < block; b++) factors[r * block + b] = -pivot[r * block + b];
    }
    panel.fill(0);
    const rows = matrix.subarray(start * stride, (start + block) * stride);
    await pool.run('subtractProducts', [panel, factors, rows, stride, block], { rows: block, scratchBytes: 64 });
    for (let r = 0; r < block; r++) panel.set(pivot.subarray(r * block, (r + 1) * block), r * stride + start);
    // Every other row loses its part of the block.
    for (let r = 0; r < size; r++) {
      const at = r * stride + start;
      const own = r >= start && r < start + block;
      for (let b = 0; b < block; b++) {
        factors[r * block + b] = own ? 0 : matrix[at + b];
        if (!own) matrix[at + b] = 0;
      }
    }
    const chunkRows = 2 * Math.max(8, Math.ceil(size / 128));
    await pool.run('subtractProducts', [matrix, factors, panel, stride, block], {
      rows: size,
      scratchBytes: 64,
      chunkRows,
    });
    rows.set(panel.subarray(0, block * stride));
  }
}

/** The inverse of the block on the diagonal at `start`. */
function inverseOf(matrix: Float32Array, start: number, size: number, stride: number): Float64Array {
  const a = new Float64Array(size * size);
  for (let r = 0; r < size; r++) {
    for (let c = 0; c < size; c++) a[r * size + c] = matrix[(start + r) * stride + start + c];
  }
  for (let k = 0; k < size; k++) {
    const pivot = 1 / a[k * size + k];
    a[k * size + k] = 1;
    for (let c = 0; c < size; c++) a[k * size + c] *= pivot;
    for (let r = 0; r < size; r++) {
      if (r === k) continue;
      const factor = a[r * size + k];
      a[r * size + k] = 0;
      for (let c = 0; c < size; c++) a[r * size + c] -= factor * a[k * size + c];
    }
  }
  return a;
}

/** −P_ij / P_jj, the negligible left out; off the kernels' memory. */
function weightsOf(inverse: Float32Array, size: number, stride: number) {
  const visit = (found: (i: number, j: number, weight: number) => void) => {
    for (let i = 0; i < size; i++) {
      for (let j = 0; j < size; j++) {
        const weight = -inverse[i * stride + j] / inverse[j * stride + j];
        if (i !== j && Math.abs(weight) > NEGLIGIBLE_WEIGHT) found(i, j, weight);
      }
    }
  };
  const offsets = new Uint32Array(size + 1);
  visit((i) => {
    offsets[i + 1]++;
  });
  for (let row = 0; row < size; row++) offsets[row + 1] += offsets[row];
  const columns = new Uint32Array(offsets[size]);
  const values = new Float32Array(offsets[size]);
  let place = 0;
  visit((_, j, weight) => {
    columns[place] = j;
    values[place++] = weight;
  });
  return { offsets, columns, values };
}
