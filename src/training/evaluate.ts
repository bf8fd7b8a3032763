// Offline figures: full, exact ranking of all items for every judging user, in threads, by the same kernels that serve.
// recall = found / held out, NDCG against the best order of min(held out, k), MRR of the first found, hit rate, coverage =
// share of the catalog that anybody was recommended, novelty = mean −log2 of the recommended items' share of users.
// Equal scores share their mean rank.
import { randomFrom } from '../dataset/random.ts';
import type { KernelPool } from '../kernels/kernel-pool.ts';
import { idealGain, type JudgeUsers } from '../scoring/blend.ts';
import type { ScoreBlock } from '../scoring/score-block.ts';

export interface Evaluation {
  readonly users: number;
  /** by "name@cutoff" */
  readonly metrics: Record<string, number>;
  /** 95 % interval of the means over users, by bootstrap; for recall and ndcg */
  readonly intervals: Record<string, [number, number]>;
}

export interface RankedLists {
  readonly limit: number;
  readonly counts: Uint32Array;
  readonly items: Uint32Array;
  readonly scores: Float32Array;
}

/** The best `limit` items of every judge. The arrays stand on the pool's memory: release it when done. */
export async function rankForJudges(
  pool: KernelPool,
  block: ScoreBlock,
  judges: JudgeUsers,
  limit: number,
  excludeSeen: boolean,
): Promise<RankedLists> {
  const { memory } = pool;
  const size = Math.max(1, Math.min(limit, block.itemCount));
  const lists = {
    limit: size,
    counts: memory.u32(judges.count),
    items: memory.u32(judges.count * size),
    scores: memory.f32(judges.count * size),
  };
  await pool.run(
    'recommendUsers',
    [
      ...[block.pointer, judges.offsets, judges.items, judges.weights, judges.seen, size, excludeSeen ? 1 : 0],
      ...[lists.counts, lists.items, lists.scores],
    ],
    judges.count,
    block.scratchBytes,
  );
  return lists;
}

/** Mean NDCG alone: what tuning compares. */
export async function meanNdcg(
  pool: KernelPool,
  block: ScoreBlock,
  judges: JudgeUsers,
  cutoff: number,
  excludeSeen: boolean,
): Promise<number> {
  const mark = pool.memory.mark();
  const lists = await rankForJudges(pool, block, judges, cutoff, excludeSeen);
  const { metrics } = measure(lists, judges, [cutoff], null, 0);
  pool.memory.release(mark);
  return metrics[`ndcg@${cutoff}`];
}

const BOOTSTRAP_ROUNDS = 200;

/** `userCounts`: users of each item, for novelty; null leaves it away. `bootstrapSeed` 0: no intervals. */
export function measure(
  lists: RankedLists,
  judges: JudgeUsers,
  cutoffs: readonly number[],
  userCounts: { counts: Float32Array; users: number } | null,
  bootstrapSeed: number,
): Evaluation {
  const metrics: Record<string, number> = {};
  const intervals: Record<string, [number, number]> = {};
  for (const cutoff of cutoffs) {
    const perUser = { recall: new Float64Array(judges.count), ndcg: new Float64Array(judges.count) };
    let mrr = 0;
    let hits = 0;
    let information = 0;
    let shown = 0;
    const covered = new Set<number>();
    for (let user = 0; user < judges.count; user++) {
      const wanted = new Set(judges.targets.subarray(judges.targetOffsets[user], judges.targetOffsets[user + 1]));
      if (wanted.size === 0) continue;
      const base = user * lists.limit;
      const length = Math.min(cutoff, lists.counts[user]);
      let found = 0;
      let gain = 0;
      let firstRank = Number.POSITIVE_INFINITY;
      for (let place = 0; place < lists.counts[user]; place++) {
        const item = lists.items[base + place];
        if (place < length) {
          covered.add(item);
          if (userCounts !== null) {
            information -= Math.log2(Math.max(1, userCounts.counts[item]) / Math.max(1, userCounts.users));
            shown++;
          }
        }
        if (!wanted.has(item)) continue;
        const rank = midRank(lists, base, lists.counts[user], place);
        if (rank > cutoff) continue;
        found++;
        gain += 1 / Math.log2(rank + 1);
        firstRank = Math.min(firstRank, rank);
      }
      perUser.recall[user] = found / wanted.size;
      perUser.ndcg[user] = gain / idealGain(wanted.size, cutoff);
      if (found > 0) {
        hits++;
        mrr += 1 / firstRank;
      }
    }
    const users = Math.max(1, judges.count);
    metrics[`recall@${cutoff}`] = mean(perUser.recall);
    metrics[`ndcg@${cutoff}`] = mean(perUser.ndcg);
    metrics[`mrr@${cutoff}`] = mrr / users;
    metrics[`hit_rate@${cutoff}`] = hits / users;
    metrics[`coverage@${cutoff}`] = covered.size;
    if (userCounts !== null) metrics[`novelty@${cutoff}`] = shown > 0 ? information / shown : 0;
    if (bootstrapSeed > 0) {
      intervals[`recall@${cutoff}`] = bootstrap(perUser.recall, bootstrapSeed);
      intervals[`ndcg@${cutoff}`] = bootstrap(perUser.ndcg, bootstrapSeed);
    }
  }
  return { users: judges.count, metrics, intervals };
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

function mean(values: Float64Array): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function bootstrap(values: Float64Array, seed: number): [number, number] {
  if (values.length === 0) return [0, 0];
  const random = randomFrom(seed);
  const means = new Float64Array(BOOTSTRAP_ROUNDS);
  for (let round = 0; round < BOOTSTRAP_ROUNDS; round++) {
    let sum = 0;
    for (let n = 0; n < values.length; n++) sum += values[Math.floor(random() * values.length)];
    means[round] = sum / values.length;
  }
  means.sort();
  return [means[Math.floor(BOOTSTRAP_ROUNDS * 0.025)], means[Math.floor(BOOTSTRAP_ROUNDS * 0.975)]];
}
