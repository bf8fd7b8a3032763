// Brings a model's experts onto a kernel memory in the order the scoring kernels want: item-to-item, popularity. Experts
// of weight 0 are left away. Exact sizes are known before anything is allocated.

import type { G1Model, ItemToItemExpert, PopularityExpert, QueryWeights } from '../artifact/g1-model.ts';
import { atOnce, type Steps } from '../domain/steps.ts';
import { alignedBytes, type KernelMemory } from '../kernels/kernel-memory.ts';
import { lanesFor, type SparseLane, scoreScratchBytes } from './score-block.ts';

export interface ExpertLanes {
  readonly sparse: readonly SparseLane[];
  readonly popularity: Float32Array;
  readonly weights: readonly number[];
}

const PAGE_BYTES = 65_536;
/** Elements: a millisecond or two, on memory that is used for the first time. */
const COPIED_AT_ONCE = 500_000;

export function queryTable(query: QueryWeights, cap: number): Float32Array {
  if (query.kind === 'table') return Float32Array.from(query.weights.slice(0, cap));
  return Float32Array.from({ length: cap }, (_, l) => (l + 1) ** -query.rho);
}

function activeExperts(model: G1Model) {
  const active = model.experts.map((expert, n) => ({ expert, weight: model.blend.weights[n] }));
  const of = <T>(kind: string) => active.filter(({ expert, weight }) => expert.kind === kind && weight !== 0) as T[];
  return {
    sparse: of<{ expert: ItemToItemExpert; weight: number }>('item-to-item'),
    // Popularity stands by for users without history, also at weight 0.
    popularity: active.find(({ expert }) => expert.kind === 'popularity') as {
      expert: PopularityExpert;
      weight: number;
    },
  };
}

/** Bytes of memory that a scorer of this model takes. */
export function laneBytes(model: G1Model, cap: number): number {
  const { sparse } = activeExperts(model);
  const items = model.warmItemCount;
  let bytes = 2 * PAGE_BYTES;
  for (const { expert } of sparse) {
    const entries = expert.rows.offsets[expert.rows.rowCount];
    bytes += alignedBytes((items + 1) * 4) + 2 * alignedBytes(entries * 4) + alignedBytes(cap * 4) + 64;
  }
  const lanes = lanesFor(sparse.length + 1);
  return bytes + scoreScratchBytes(items, lanes) + items * 20 + cap * 9 + 4096;
}

export function expertLanes(memory: KernelMemory, model: G1Model, cap: number): ExpertLanes {
  return atOnce(laneSteps(memory, model, cap));
}

export function* laneSteps(memory: KernelMemory, model: G1Model, cap: number): Steps<ExpertLanes> {
  const { sparse, popularity } = activeExperts(model);
  const items = model.warmItemCount;
  const table = (query: QueryWeights) => {
    const weights = queryTable(query, cap);
    const onMemory = memory.f32(weights.length);
    onMemory.set(weights);
    return onMemory;
  };
  const sparseLanes: SparseLane[] = [];
  for (const { expert } of sparse) {
    const { rows } = expert;
    const entries = rows.offsets[rows.rowCount];
    const offsets = memory.u32(items + 1);
    // Rows beyond those the expert has are empty.
    for (let row = 0; row <= items; row++) offsets[row] = rows.offsets[Math.min(row, rows.rowCount)];
    const columns = memory.u32(entries);
    yield* copySteps(rows.columns, columns);
    const values = memory.f32(entries);
    yield* copySteps(rows.values, values);
    sparseLanes.push({
      starts: offsets.subarray(0, items),
      ends: offsets.subarray(1),
      columns,
      values,
      query: table(expert.query),
    });
  }
  const shares = memory.f32(items).fill(0);
  normalisePopularity(popularity.expert.values, shares);
  yield;
  return {
    sparse: sparseLanes,
    popularity: shares,
    weights: [...sparse.map(({ weight }) => weight), popularity.weight],
  };
}

/** Fills `to` from the start of `from`. */
function* copySteps<T extends Uint32Array | Float32Array>(from: T, to: T): Steps<void> {
  for (let at = 0; at < to.length; at += COPIED_AT_ONCE) {
    to.set(from.subarray(at, Math.min(at + COPIED_AT_ONCE, to.length)), at);
    yield;
  }
}

export function normalisePopularity(values: Float32Array, out: Float32Array): void {
  let max = 0;
  for (let item = 0; item < values.length; item++) max = Math.max(max, values[item]);
  for (let item = 0; item < out.length; item++) out[item] = max > 0 ? values[item] / max : 0;
}
