// Expert B, the damped walk item → user → item: W_ij = d_i^−β (Xᵀ diag(n_u^−γ) X)_ij d_j^−δ, out of the gram.
import type { KernelPool } from '../kernels/kernel-pool.ts';
import type { Gram } from './gram.ts';
import { allocateSlotRows, type SlotRows } from './slot-rows.ts';

export interface WalkSettings {
  readonly gamma: number;
  readonly beta: number;
  readonly delta: number;
}

/** `degrees`: how many users each item has. */
export async function walkRows(
  pool: KernelPool,
  { gram, degrees }: { gram: Gram; degrees: Float32Array },
  settings: WalkSettings,
  slot: number,
): Promise<SlotRows> {
  const { memory } = pool;
  const itemCount = degrees.length;
  const source = settings.gamma === gram.gammas[0] ? gram.first : gram.second;
  const rows = allocateSlotRows(memory, itemCount, slot);
  const mark = memory.mark();
  const rowScales = memory.f32(itemCount);
  const columnScales = memory.f32(itemCount);
  for (let item = 0; item < itemCount; item++) {
    rowScales[item] = degrees[item] > 0 ? degrees[item] ** -settings.beta : 0;
    columnScales[item] = degrees[item] > 0 ? degrees[item] ** -settings.delta : 0;
  }
  await pool.run(
    'scaleSelectRows',
    [
      source.counts,
      source.columns,
      source.values,
      source.slot,
      rowScales,
      columnScales,
      slot,
      rows.counts,
      rows.columns,
      rows.values,
    ],
    { rows: itemCount, scratchBytes: source.slot * 4 + slot * 4 },
  );
  memory.release(mark);
  return rows;
}
