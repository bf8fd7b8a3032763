// Offline figures: full, exact ranking of all items for every question, in threads, by the same kernels that serve.
// recall = found / held out, NDCG against the best order of min(held out, k), MRR of the first found, hit rate, coverage =
// items that anybody was recommended, novelty = mean −log2 of the recommended items' share of users.
// Equal scores share their mean rank.

import { mean, meansOfUsers, shareBootstrap } from '../domain/compare.ts';
import type { KernelPool } from '../kernels/kernel-pool.ts';
import { buildSearchBlock } from '../scoring/question-block.ts';
import { type RankerBlock, rankScratchBytes } from '../scoring/ranker-block.ts';
import type { ScoreBlock } from '../scoring/score-block.ts';
import { type Judges, usersOf } from './judges.ts';

export interface Evaluation {
  /** keyed by "name@cutoff" */
  readonly metrics: Record<string, number>;
  /** 95% interval of the means over users, by bootstrap; for recall, ndcg and hit_rate */
  readonly intervals: Record<string, [number, number]>;
}

export interface RankedLists {
  readonly limit: number;
  readonly counts: Uint32Array;
  readonly items: Uint32Array;
  readonly scores: Float32Array;
}

/** The items that lists should contain, and the users of the questions. */
export type Asked = Pick<Judges, 'count' | 'targetOffsets' | 'targets' | 'users'>;

/** Makes lists: a blend, and optionally a ranker that orders its best items. */
export interface ListMaker {
  readonly block: ScoreBlock;
  readonly ranker: RankerBlock | null;
}

/** The best `limit` items for every question. The arrays are in the pool's memory: release it when done. */
export async function rankForJudges(
  pool: KernelPool,
  { block, ranker }: ListMaker,
  judges: Judges,
  limit: number,
): Promise<RankedLists> {
  const { memory } = pool;
  const size = Math.max(1, Math.min(limit, block.itemCount));
  const candidates = Math.max(size, Math.min(ranker?.candidates ?? 0, block.itemCount));
  const lists = {
    limit: size,
    counts: memory.u32(judges.count),
    items: memory.u32(judges.count * size),
    scores: memory.f32(judges.count * size),
  };
  const search = buildSearchBlock(memory, { limit: size, candidates, allow: null, order: block.order });
  await pool.run(
    'recommendUsers',
    [
      block.pointer,
      ranker?.pointer ?? 0,
      usersOf(memory, judges),
      search,
      lists.counts,
      lists.items,
      lists.scores,
      block.scratchBytes,
    ],
    { rows: judges.count, scratchBytes: block.scratchBytes + (ranker ? rankScratchBytes(block.lanes, candidates) : 0) },
  );
  return lists;
}

/** The gain of each target of a question, if targets differ. */
export type Gains = readonly ReadonlyMap<number, number>[];

/** Returns the NDCG of every question. */
export async function ndcgOfEach(
  pool: KernelPool,
  maker: ListMaker,
  judges: Judges,
  { cutoff, gains }: { cutoff: number; gains?: Gains | undefined },
): Promise<Float64Array> {
  const mark = pool.memory.mark();
  const lists = await rankForJudges(pool, maker, judges, cutoff);
  const out = new Float64Array(judges.count);
  for (let n = 0; n < judges.count; n++) {
    out[n] = gains ? gradedNdcg(lists, n, cutoff, gains[n]) : findTargets(lists, judges, n, cutoff).ndcg;
  }
  pool.memory.release(mark);
  return out;
}

/** The gain of a perfect list with this many relevant items. */
export function idealGain(relevant: number, cutoff: number): number {
  let sum = 0;
  for (let rank = 0; rank < Math.min(relevant, cutoff); rank++) sum += 1 / Math.log2(rank + 2);
  return sum;
}

function gradedNdcg(lists: RankedLists, question: number, cutoff: number, gains: ReadonlyMap<number, number>): number {
  const base = question * lists.limit;
  let found = 0;
  for (let place = 0; place < lists.counts[question]; place++) {
    const gain = gains.get(lists.items[base + place]);
    if (gain === undefined) continue;
    const rank = midRank(lists, base, lists.counts[question], place);
    if (rank <= cutoff) found += gain / Math.log2(rank + 1);
  }
  const best = [...gains.values()].sort((a, b) => b - a).slice(0, cutoff);
  const ideal = best.reduce((sum, gain, rank) => sum + gain / Math.log2(rank + 2), 0);
  return ideal > 0 ? found / ideal : 0;
}

interface Found {
  readonly recall: number;
  readonly ndcg: number;
  /** 1-based, infinite when nothing was found */
  readonly firstRank: number;
}

/** NDCG of every question, of lists that are made already. */
export function ndcgsOf(lists: RankedLists, asked: Asked, cutoff: number): Float64Array {
  return Float64Array.from({ length: asked.count }, (_, n) => findTargets(lists, asked, n, cutoff).ndcg);
}

function findTargets(lists: RankedLists, judges: Asked, question: number, cutoff: number): Found {
  const wanted = new Set(judges.targets.subarray(judges.targetOffsets[question], judges.targetOffsets[question + 1]));
  if (wanted.size === 0) return { recall: 0, ndcg: 0, firstRank: Number.POSITIVE_INFINITY };
  const base = question * lists.limit;
  let found = 0;
  let gain = 0;
  let firstRank = Number.POSITIVE_INFINITY;
  for (let place = 0; place < lists.counts[question]; place++) {
    if (!wanted.has(lists.items[base + place])) continue;
    const rank = midRank(lists, base, lists.counts[question], place);
    if (rank > cutoff) continue;
    found++;
    gain += 1 / Math.log2(rank + 1);
    firstRank = Math.min(firstRank, rank);
  }
  return { recall: found / wanted.size, ndcg: gain / idealGain(wanted.size, cutoff), firstRank };
}

/** 1-based; the mean place of all items of the list with the same score. */
function midRank(lists: RankedLists, base: number, count: number, place: number): number {
  const score = lists.scores[base + place];
  let first = place;
  let last = place;
  while (first > 0 && lists.scores[base + first - 1] === score) first--;
  while (last + 1 < count && lists.scores[base + last + 1] === score) last++;
  return (first + last) / 2 + 1;
}

/** `userCounts`: users of each item, for novelty; null leaves it away. `bootstrapSeed` 0: no intervals. */
export function measure(
  lists: RankedLists,
  judges: Asked,
  cutoffs: readonly number[],
  options: { userCounts?: { counts: Float32Array; users: number }; bootstrapSeed?: number } = {},
): Evaluation {
  const metrics: Record<string, number> = {};
  const intervals: Record<string, [number, number]> = {};
  const { userCounts, bootstrapSeed = 0 } = options;
  for (const cutoff of cutoffs) {
    const each = {
      recall: new Float64Array(judges.count),
      ndcg: new Float64Array(judges.count),
      mrr: new Float64Array(judges.count),
      hit_rate: new Float64Array(judges.count),
    };
    for (let question = 0; question < judges.count; question++) {
      const found = findTargets(lists, judges, question, cutoff);
      each.recall[question] = found.recall;
      each.ndcg[question] = found.ndcg;
      each.mrr[question] = 1 / found.firstRank;
      each.hit_rate[question] = found.recall > 0 ? 1 : 0;
    }
    for (const [name, values] of Object.entries(each)) {
      const ofUsers = meansOfUsers(values, judges.users);
      metrics[`${name}@${cutoff}`] = mean(ofUsers);
      if (bootstrapSeed > 0 && name !== 'mrr') {
        intervals[`${name}@${cutoff}`] = shareBootstrap(ofUsers, bootstrapSeed);
      }
    }
    Object.assign(metrics, measureLists(lists, cutoff, userCounts));
  }
  return { metrics, intervals };
}

/**
 * Measures the items in the lists regardless of what they find: how many there are (coverage), and how rare they are
 * (novelty).
 */
function measureLists(lists: RankedLists, cutoff: number, userCounts?: { counts: Float32Array; users: number }) {
  const covered = new Set<number>();
  let information = 0;
  let shown = 0;
  for (const [question, count] of lists.counts.entries()) {
    const base = question * lists.limit;
    for (let place = 0; place < Math.min(cutoff, count); place++) {
      const item = lists.items[base + place];
      covered.add(item);
      shown++;
      if (userCounts) information -= Math.log2(Math.max(1, userCounts.counts[item]) / Math.max(1, userCounts.users));
    }
  }
  const novelty = userCounts ? { [`novelty@${cutoff}`]: shown > 0 ? information / shown : 0 } : {};
  return { [`coverage@${cutoff}`]: covered.size, ...novelty };
}
