// Expert C, transitions: C_ij = Σ over pairs p < q of a user's sequence of ω(q − p), plus s Cᵀ; row i divided by
// (row sum)^power, column j by d_j^delta. Query weights follow ω.

import type { QueryWeights } from '../artifact/g1-model.ts';
import type { Interactions } from '../dataset/interactions.ts';
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
  { x, degrees }: { x: Interactions; degrees: Float32Array },
  variant: TransitionVariant,
  slot: number,
): Promise<SlotRows> {
  const { memory } = pool;
  const shape = TRANSITION_SHAPES[variant];
  const rows = allocateSlotRows(memory, x.itemCount, slot);
  const mark = memory.mark();
  const ahead = memory.f32(shape.maxLag + 1);
  const behind = memory.f32(shape.maxLag + 1);
  for (let lag = 1; lag <= shape.maxLag; lag++) {
    ahead[lag] = shape.omega(lag);
    behind[lag] = shape.reverse * shape.omega(lag);
  }
  const userScales = memory.f32(x.userCount).fill(1);
  const columnScales = memory.f32(x.itemCount);
  for (let item = 0; item < x.itemCount; item++) {
    columnScales[item] = degrees[item] > 0 ? degrees[item] ** -shape.delta : 0;
  }
  await pool.run(
    'transitionRows',
    [
      ...[x.userOffsets, x.items, x.weights, x.itemOffsets, x.entries, x.entryUsers, userScales],
      ...[shape.maxLag, ahead, behind, shape.power, columnScales, x.itemCount, slot],
      ...[rows.counts, rows.columns, rows.values],
    ],
    { rows: x.itemCount, scratchBytes: x.itemCount * 12 + slot * 4 },
  );
  memory.release(mark);
  return rows;
}
