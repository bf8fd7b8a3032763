// The ranker: a linear score of simple features of the blend's best items (kernels/assembly/rank.ts), fitted on questions.
// Candidates and features come from the kernels that serve, so training and serving see the same ones.
import type { Question } from '../dataset/questions.ts';
import type { KernelPool } from '../kernels/kernel-pool.ts';
import { buildSearchBlock } from '../scoring/question-block.ts';
import {
  buildRankerBlock,
  featureWidth,
  type LaneRanker,
  MAX_DEEP,
  OTHER_FEATURES,
  SHARE_LOGS,
} from '../scoring/ranker-block.ts';
import type { ScoreBlock } from '../scoring/score-block.ts';
import { MIN_USABLE } from './blends.ts';
import type { ExpertSpec } from './expert-spec.ts';
import { fitChoices } from './fit-choices.ts';
import { FACTS } from './item-facts.ts';
import { gatherJudges, type JudgeSource, type Judges, usersOf } from './judges.ts';

/** The blend's best items that a ranker orders. */
const CANDIDATES = 100;
/** More questions with a target among the candidates would improve the ranker only a little. */
export const ENOUGH_QUESTIONS = 6000;
/** Questions asked at a time until there are enough. */
const ASKED_AT_ONCE = 500;
const FEATURE_BYTES = 350e6;

/** Weights of a ranker, before they meet the items: what is left when experts are fitted again. */
export interface RankerWeights {
  readonly deep: readonly number[];
  readonly weights: Float64Array;
  readonly factWeights: Float64Array;
  /** number of questions it was fitted on */
  readonly questions: number;
}

/** The lanes whose single contributions count: the best of each kind of expert. */
export function deepLanes(specs: readonly ExpertSpec[], ndcgs: readonly number[]): number[] {
  const kinds: ((spec: ExpertSpec) => boolean)[] = [
    (spec) => spec.family === 'walk',
    (spec) => spec.family === 'local_ridge',
    (spec) => spec.family === 'transitions' && spec.variant === 'window',
    (spec) => spec.family === 'transitions' && spec.variant !== 'window',
  ];
  const lanes = kinds.flatMap((isKind) => {
    const own = [...specs.keys()].filter((lane) => isKind(specs[lane]));
    return own.sort((a, b) => ndcgs[b] - ndcgs[a]).slice(0, 1);
  });
  return lanes.slice(0, MAX_DEEP);
}

/** null when too few questions have a target among their candidates. */
export async function fitRanker(
  pool: KernelPool,
  block: ScoreBlock,
  questions: readonly Question[],
  input: { source: JudgeSource; deep: readonly number[]; facts: Float32Array },
): Promise<RankerWeights | null> {
  const { memory } = pool;
  const { deep, facts, source } = input;
  const mark = memory.mark();
  const width = featureWidth(block.lanes);
  const slot = Math.min(CANDIDATES, block.itemCount);
  const blank = { candidates: slot, deep, weights: new Float64Array(width), bias: new Float32Array(block.itemCount) };
  const ranker = buildRankerBlock(memory, block, blank);
  const search = buildSearchBlock(memory, { limit: slot, candidates: slot, allow: null, order: block.order });
  const affordable = Math.min(ENOUGH_QUESTIONS, Math.floor(FEATURE_BYTES / (slot * width * 4)), questions.length);
  const room = (size: number) => ({
    counts: memory.u32(size),
    items: memory.u32(size * slot),
    features: memory.f32(size * slot * width),
  });
  const all = room(affordable);
  const labels = memory.f32(affordable * slot);
  let usable = 0;
  for (let from = 0; from < questions.length && usable < affordable; from += ASKED_AT_ONCE) {
    const before = memory.mark();
    const judges = gatherJudges(memory, source, questions.slice(from, from + ASKED_AT_ONCE));
    const some = room(judges.count);
    const scores = memory.f32(judges.count * slot);
    await pool.run(
      'gatherFeatures',
      [block.pointer, ranker.pointer, usersOf(memory, judges), search, some.counts, some.items, scores, some.features],
      { rows: judges.count, scratchBytes: block.scratchBytes },
    );
    const found = labelsOf(judges, some.counts, some.items, slot);
    for (let u = 0; u < judges.count && usable < affordable; u++) {
      const [first, end] = [u * slot, (u + 1) * slot];
      // A question without a target among its candidates says nothing.
      if (!found.subarray(first, end).some((label) => label > 0)) continue;
      all.counts[usable] = some.counts[u];
      all.items.set(some.items.subarray(first, end), usable * slot);
      all.features.set(some.features.subarray(first * width, end * width), usable * slot * width);
      labels.set(found.subarray(first, end), usable * slot);
      usable++;
    }
    memory.release(before);
  }
  const fitted =
    usable < MIN_USABLE
      ? null
      : await fitChoices(pool, { ...all, questions: usable, slot, width, facts, factWidth: FACTS, labels });
  memory.release(mark);
  if (fitted === null) return null;
  return {
    deep,
    weights: byLane(fitted, block),
    factWeights: fitted.slice(width, width + FACTS),
    questions: usable,
  };
}

/** The label of each candidate: 1 / targets of its question if it is one of them, else 0. */
function labelsOf(judges: Judges, counts: Uint32Array, items: Uint32Array, slot: number): Float32Array {
  const labels = new Float32Array(judges.count * slot);
  for (let u = 0; u < judges.count; u++) {
    const wanted = new Set(judges.targets.subarray(judges.targetOffsets[u], judges.targetOffsets[u + 1]));
    for (let row = u * slot; row < u * slot + counts[u]; row++)
      if (wanted.has(items[row])) labels[row] = 1 / wanted.size;
  }
  return labels;
}

/** The ranker over items with these facts. */
export function rankerOver({ deep, weights, factWeights }: RankerWeights, facts: Float32Array): LaneRanker {
  const bias = new Float32Array(facts.length / FACTS);
  for (let item = 0; item < bias.length; item++) {
    for (let k = 0; k < FACTS; k++) bias[item] += factWeights[k] * facts[item * FACTS + k];
  }
  return { candidates: CANDIDATES, deep, weights, bias };
}

/** Drops the weights of lanes that only pad a vector. */
function byLane(fitted: Float64Array, { lanes, usedLanes }: ScoreBlock): Float64Array {
  const weights = new Float64Array(SHARE_LOGS * usedLanes + OTHER_FEATURES);
  for (let c = 0; c < SHARE_LOGS; c++) {
    for (let lane = 0; lane < usedLanes; lane++) weights[c * usedLanes + lane] = fitted[c * lanes + lane];
  }
  for (let n = 0; n < OTHER_FEATURES; n++) weights[SHARE_LOGS * usedLanes + n] = fitted[SHARE_LOGS * lanes + n];
  return weights;
}
