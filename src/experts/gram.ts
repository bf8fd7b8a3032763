// The gram G = Xᵀ diag(n_u^−γ) X for two γ at once, each row cut to its largest entries: what local ridge and walk are made of.
import type { EventAggregation } from '../aggregation/event-aggregation.ts';
import { fixedScale } from '../dataset/fixed-point.ts';
import type { KernelPool } from '../kernels/kernel-pool.ts';
import type { SlotRows } from './slot-rows.ts';

export interface Gram {
  /** γ of `first` and of `second` */
  readonly gammas: readonly [number, number];
  readonly first: SlotRows;
  readonly second: SlotRows;
  /** G_ii of both matrices, side by side */
  readonly diagonals: Float32Array;
}

/** Catalogs up to this size keep whole rows. */
export const WHOLE_ROWS = 4000;
const MAX_SLOT = 1000;
const MIN_SLOT = 64;
const BUDGET_BYTES = 640e6;

/** Entries kept a row: all while they fit in the budget. Beyond about 50,000 items rows get shorter. */
function gramSlot(itemCount: number): number {
  if (itemCount <= WHOLE_ROWS) return Math.max(1, itemCount);
  return Math.max(1, Math.min(itemCount, MAX_SLOT, Math.max(MIN_SLOT, Math.floor(BUDGET_BYTES / (12 * itemCount)))));
}

export function gramBytes(itemCount: number): number {
  return itemCount * (12 * gramSlot(itemCount) + 12) + 128;
}

export async function buildGram(
  pool: KernelPool,
  aggregation: EventAggregation,
  gammas: readonly [number, number],
): Promise<Gram> {
  const { memory } = pool;
  const { itemCount, longest } = aggregation;
  const slot = gramSlot(itemCount);
  memory.require(gramBytes(itemCount), `The gram of ${itemCount} items`);
  const scalesOf = (gamma: number) =>
    Uint32Array.from({ length: longest + 1 }, (_, length) => fixedScale(Math.max(1, length) ** -gamma));
  const counts = memory.u32(itemCount);
  const columns = memory.u32(itemCount * slot);
  const first = memory.f32(itemCount * slot);
  const second = memory.f32(itemCount * slot);
  const diagonals = memory.f32(2 * itemCount);
  const into = { slot, counts, columns, first, second, diagonals };
  await aggregation.cooccurrence([scalesOf(gammas[0]), scalesOf(gammas[1])], into);
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
