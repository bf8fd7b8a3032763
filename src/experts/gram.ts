// The gram G = Xᵀ diag(n_u^−γ) X for two γ at once, each row cut to its largest entries: what local ridge and walk are made of.
import type { Interactions } from '../dataset/interactions.ts';
import type { KernelPool } from '../kernels/kernel-pool.ts';
import type { SlotRows } from './slot-rows.ts';

export interface Gram {
  /** γ of `first` and of `second` */
  readonly gammas: readonly [number, number];
  readonly first: SlotRows;
  readonly second: SlotRows;
  /** G_ii of both, side by side */
  readonly diagonals: Float32Array;
}

/** Catalogs up to this size keep whole rows. */
export const WHOLE_ROWS = 4000;
const MAX_SLOT = 1000;
const MIN_SLOT = 64;
const BUDGET_BYTES = 640e6;

/** Entries kept a row: all while they fit in the budget. Beyond about 50,000 items rows get shorter. */
export function gramSlot(itemCount: number): number {
  if (itemCount <= WHOLE_ROWS) return Math.max(1, itemCount);
  return Math.max(1, Math.min(itemCount, MAX_SLOT, Math.max(MIN_SLOT, Math.floor(BUDGET_BYTES / (12 * itemCount)))));
}

function gramBytes(itemCount: number, userCount: number): number {
  return itemCount * (12 * gramSlot(itemCount) + 12) + userCount * 8 + 128;
}

export async function buildGram(pool: KernelPool, x: Interactions, gammas: readonly [number, number]): Promise<Gram> {
  const { memory } = pool;
  const slot = gramSlot(x.itemCount);
  memory.require(gramBytes(x.itemCount, x.userCount), `The gram of ${x.itemCount} items`);
  const scales = memory.f32(2 * x.userCount);
  for (let user = 0; user < x.userCount; user++) {
    const count = Math.max(1, x.userOffsets[user + 1] - x.userOffsets[user]);
    scales[2 * user] = count ** -gammas[0];
    scales[2 * user + 1] = count ** -gammas[1];
  }
  const counts = memory.u32(x.itemCount);
  const columns = memory.u32(x.itemCount * slot);
  const first = memory.f32(x.itemCount * slot);
  const second = memory.f32(x.itemCount * slot);
  const diagonals = memory.f32(2 * x.itemCount);
  await pool.run(
    'cooccurrenceRows',
    [
      ...[x.userOffsets, x.items, x.weights, x.itemOffsets, x.entries, x.entryUsers, scales],
      ...[x.itemCount, slot, counts, columns, first, second, diagonals],
    ],
    { rows: x.itemCount, scratchBytes: x.itemCount * 16 + slot * 4 },
  );
  return {
    gammas,
    first: { slot, counts, columns, values: first },
    second: { slot, counts, columns, values: second },
    diagonals,
  };
}

export function meanDiagonal({ diagonals }: Gram): number {
  let sum = 0;
  for (let at = 0; at < diagonals.length; at += 2) sum += diagonals[at];
  return sum / Math.max(1, diagonals.length / 2);
}
