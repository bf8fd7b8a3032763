// Expert C, transitions: C_ij = Σ over pairs p < q of a user's sequence of ω(q − p), plus s Cᵀ; row i divided by
// (row sum)^power, column j by d_j^delta. Query weights follow ω.

import type { EventAggregation } from '../aggregation/event-aggregation.ts';
import type { QueryWeights } from '../artifact/g1-model.ts';
import { fixedScale } from '../dataset/fixed-point.ts';
import type { TransitionVariant } from '../domain/algorithm-parameters.ts';
import type { KernelPool } from '../kernels/kernel-pool.ts';
import { allocateSlotRows, type SlotRows } from './slot-rows.ts';

interface TransitionShape {
  readonly maxLag: number;
  readonly omega: (lag: number) => number;
  /** s: how much the reverse direction counts */
  readonly reverse: number;
  readonly power: number;
  readonly delta: number;
  readonly query: QueryWeights | null;
}

const harmonic = (lag: number) => 1 / lag;
const between = (from: number, to: number) => (lag: number) => (lag >= from && lag <= to ? 1 : 0);
const forward = { reverse: 0, power: 1, delta: 0, query: null };

export const TRANSITION_SHAPES: Readonly<Record<TransitionVariant, TransitionShape>> = {
  mk1: { ...forward, maxLag: 1, omega: () => 1 },
  'mk2-4': { ...forward, maxLag: 4, omega: between(2, 4) },
  'mk5-10': { ...forward, maxLag: 10, omega: between(5, 10) },
  'mk.75': { ...forward, maxLag: 14, omega: (lag) => 0.75 ** (lag - 1) },
  forward: { ...forward, maxLag: 30, omega: harmonic, delta: 0.25 },
  '1/lag': { ...forward, maxLag: 30, omega: harmonic, reverse: 0.7 },
  window: { maxLag: 20, omega: harmonic, reverse: 0.7, power: 0.75, delta: 0, query: { kind: 'power', rho: 0.8 } },
};

export function transitionQuery(variant: TransitionVariant): QueryWeights {
  const { query, maxLag, omega } = TRANSITION_SHAPES[variant];
  return query ?? { kind: 'table', weights: Array.from({ length: maxLag }, (_, l) => omega(l + 1)) };
}

export async function transitionRows(
  pool: KernelPool,
  { aggregation, degrees }: { aggregation: EventAggregation; degrees: Float32Array },
  variant: TransitionVariant,
  slot: number,
): Promise<SlotRows> {
  const { memory } = pool;
  const { maxLag, omega, reverse, power, delta } = TRANSITION_SHAPES[variant];
  const { itemCount } = aggregation;
  const rows = allocateSlotRows(memory, itemCount, slot);
  const mark = memory.mark();
  const sums = memory.f32(itemCount);
  const byLag = (factor: number) =>
    Uint32Array.from({ length: maxLag + 1 }, (_, lag) => (lag === 0 ? 0 : fixedScale(factor * omega(lag))));
  const columnScales = Float32Array.from(degrees, (degree) => (degree > 0 ? degree ** -delta : 0));
  await aggregation.transitions({ forward: byLag(1), backward: byLag(reverse), columnScales }, { ...rows, sums });
  for (let item = 0; item < itemCount; item++) {
    const scale = sums[item] > 0 ? sums[item] ** -power : 0;
    const start = item * slot;
    for (let at = start; at < start + rows.counts[item]; at++) rows.values[at] *= scale;
  }
  memory.release(mark);
  return rows;
}
