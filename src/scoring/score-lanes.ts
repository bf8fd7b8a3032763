// Brings a model's experts onto a kernel memory in the order the scoring kernels want: item-to-item, popularity. Experts
// that nothing uses are left away. Exact sizes are known before anything is allocated.

import type {
  Expert,
  G1Model,
  ItemToItemExpert,
  MomentScoring,
  PopularityExpert,
  QueryWeights,
  ScoringName,
} from '../artifact/g1-model.ts';
import { atOnce, type Steps } from '../base/steps.ts';
import { alignedBytes, type KernelMemory } from '../kernels/kernel-memory.ts';
import { type LaneRanker, SHARE_LOGS } from './ranker-block.ts';
import { lanesFor, type ScoreBlockInput, type SparseLane, scoreScratchLayout } from './score-block.ts';

/** How the lanes are combined for a moment. */
export interface LaneScoring {
  readonly weights: readonly number[];
  /** c of log(1 + x/c); 0 for linear */
  readonly logConstant: number;
  readonly ranker: LaneRanker | null;
}

export interface ExpertLanes {
  readonly sparse: readonly SparseLane[];
  readonly popularity: Float32Array;
  /** the first is the main one: that of the model's blend */
  readonly scorings: readonly LaneScoring[];
  /** index in `scorings` */
  readonly ofMoment: Readonly<Record<ScoringName, number>>;
}

const PAGE_BYTES = 65_536;
/** Elements: a millisecond or two, on memory that is used for the first time. */
const COPIED_AT_ONCE = 500_000;

function queryTable(query: QueryWeights, cap: number): Float32Array {
  if (query.kind === 'table') return Float32Array.from(query.weights.slice(0, cap));
  return Float32Array.from({ length: cap }, (_, l) => (l + 1) ** -query.rho);
}

/** How a model combines its experts. */
export interface JoinedExperts extends Pick<G1Model, 'blend' | 'moments'> {
  readonly experts: readonly Pick<Expert, 'kind'>[];
}

/** The model's scoring of each moment; one that was not learned is that of the nearest. */
function momentScorings({ moments, blend }: JoinedExperts): {
  scorings: MomentScoring[];
  ofMoment: Record<ScoringName, number>;
} {
  const scorings = [moments?.arriving ?? moments?.browsing ?? { blend, ranker: null }];
  const placeOf = (scoring: MomentScoring | null | undefined) => {
    if (!scoring || scoring === scorings[0]) return 0;
    return scorings.push(scoring) - 1;
  };
  const browsing = placeOf(moments?.browsing);
  const discovering = placeOf(moments?.discovering);
  const inVisit = moments?.discovering_browsing;
  return {
    scorings,
    ofMoment: { arriving: 0, browsing, discovering, discovering_browsing: inVisit ? placeOf(inVisit) : discovering },
  };
}

/** Places of the experts that take part, in the order of lanes. Popularity is there for users without history. */
function activeExperts(model: JoinedExperts): { sparse: number[]; popularity: number } {
  const { scorings } = momentScorings(model);
  const isUsed = (n: number) => scorings.some(({ blend, ranker }) => ranker !== null || blend.weights[n] !== 0);
  const places = [...model.experts.keys()];
  return {
    sparse: places.filter((n) => model.experts[n].kind === 'item-to-item' && isUsed(n)),
    popularity: places.find((n) => model.experts[n].kind === 'popularity')!,
  };
}

/** Bytes of memory that a scorer of this model takes. */
export function laneBytes(model: G1Model, cap: number): number {
  const { sparse } = activeExperts(model);
  const { scorings } = momentScorings(model);
  const items = model.warmItemCount;
  let bytes = 2 * PAGE_BYTES;
  for (const n of sparse) {
    const { rows } = model.experts[n] as ItemToItemExpert;
    const entries = rows.offsets[rows.rowCount];
    bytes += alignedBytes((items + 1) * 4) + 2 * alignedBytes(entries * 4) + alignedBytes(cap * 4) + 64;
  }
  const lanes = lanesFor(sparse.length + 1);
  const scratchBytes = scoreScratchLayout(items, sparse.length, lanes).bytes;
  return bytes + scratchBytes + scorings.length * items * 12 + items * 20 + cap * 25 + 4096;
}

export function expertLanes(memory: KernelMemory, model: G1Model, cap: number): ExpertLanes {
  return atOnce(laneSteps(memory, model, cap));
}

/** The lanes of experts whose rows are on the memory already. `sparse[n]` is that of expert n, `popularity` has 1 as its largest. */
export function lanesOnMemory(
  model: JoinedExperts,
  { sparse, popularity }: { sparse: readonly SparseLane[]; popularity: Float32Array },
): ExpertLanes {
  const active = activeExperts(model);
  return joined(
    model,
    active.sparse.map((n) => sparse[n]),
    popularity,
  );
}

/** The lanes, which are those of the active experts, with the model's scorings. */
function joined(model: JoinedExperts, sparse: readonly SparseLane[], popularity: Float32Array): ExpertLanes {
  const active = activeExperts(model);
  const places = [...active.sparse, active.popularity];
  const { scorings, ofMoment } = momentScorings(model);
  return {
    sparse,
    popularity,
    ofMoment,
    scorings: scorings.map((scoring) => laneScoring(scoring, places, model.experts.length)),
  };
}

/** Writes the weights that an expert gives the newest items to the kernels' memory. */
export function queryOnMemory(memory: KernelMemory, query: QueryWeights, cap: number): Float32Array {
  const weights = queryTable(query, cap);
  const onMemory = memory.f32(weights.length);
  onMemory.set(weights);
  return onMemory;
}

export function* laneSteps(memory: KernelMemory, model: G1Model, cap: number): Steps<ExpertLanes> {
  const { sparse, popularity } = activeExperts(model);
  const items = model.warmItemCount;
  const sparseLanes: SparseLane[] = [];
  for (const n of sparse) {
    const expert = model.experts[n] as ItemToItemExpert;
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
      query: queryOnMemory(memory, expert.query, cap),
    });
  }
  const shares = memory.f32(items).fill(0);
  normalizePopularity((model.experts[popularity] as PopularityExpert).values, shares);
  yield;
  return joined(model, sparseLanes, shares);
}

/** The lanes that the model's own blend gives a weight, on the memory: for work over all users, which no ranker takes part in. */
export function blendLanes(memory: KernelMemory, model: G1Model): Omit<ScoreBlockInput, 'itemCount'> {
  const { experts, blend } = model;
  const isActive = (expert: Expert, n: number) => expert.kind === 'popularity' || blend.weights[n] !== 0;
  const plain = {
    ...model,
    experts: experts.filter(isActive),
    blend: { ...blend, weights: blend.weights.filter((_, n) => isActive(experts[n], n)) },
    moments: undefined,
  };
  const { sparse, popularity, scorings } = expertLanes(memory, plain, model.historyCap);
  return { sparse, popularity, weights: scorings[0].weights, logConstant: scorings[0].logConstant };
}

/** Weights by expert become weights by lane. */
function laneScoring({ blend, ranker }: MomentScoring, places: readonly number[], experts: number): LaneScoring {
  return {
    weights: places.map((n) => blend.weights[n]),
    logConstant: blend.transform.kind === 'log' ? blend.transform.c : 0,
    ranker: ranker && {
      candidates: ranker.candidates,
      deep: ranker.deep.map((n) => places.indexOf(n)),
      weights: [
        ...Array.from({ length: SHARE_LOGS }, (_, c) => places.map((n) => ranker.weights[c * experts + n])).flat(),
        ...ranker.weights.slice(SHARE_LOGS * experts),
      ],
      bias: ranker.bias,
    },
  };
}

/** Fills `to` from the start of `from`. */
function* copySteps<T extends Uint32Array | Float32Array>(from: T, to: T): Steps<void> {
  for (let at = 0; at < to.length; at += COPIED_AT_ONCE) {
    to.set(from.subarray(at, Math.min(at + COPIED_AT_ONCE, to.length)), at);
    yield;
  }
}

export function normalizePopularity(values: Float32Array, out: Float32Array): void {
  let max = 0;
  for (let item = 0; item < values.length; item++) max = Math.max(max, values[item]);
  for (let item = 0; item < out.length; item++) out[item] = max > 0 ? values[item] / max : 0;
}
