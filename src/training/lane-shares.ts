// Collects every expert's scores of the items that matter, for many questions at once: the union of each lane's best items and of
// the most popular ones, with the shares of all lanes. Blends are judged and learned on it without scoring anything again.
import type { BlendTransform } from '../artifact/g1-model.ts';
import type { KernelPool } from '../kernels/kernel-pool.ts';
import type { ScoreBlock } from '../scoring/score-block.ts';
import { idealGain } from './evaluate.ts';
import type { Forged } from './expert-forge.ts';
import { type Judges, usersOf } from './judges.ts';

/** Candidates of question u: counts[u] from place u · slot on. Arrays are on the pool's memory. */
export interface LaneShares {
  readonly judges: Judges;
  readonly slot: number;
  /** floats a candidate; those beyond the experts are 0 */
  readonly lanes: number;
  readonly counts: Uint32Array;
  readonly items: Uint32Array;
  readonly shares: Float32Array;
}

const PER_LANE = 60;
/** Lanes agree on most of their best items: the union is far smaller than the sum. */
const MAX_UNION = 460;

/** `experts` are in the order of the block's lanes. */
export async function collectShares(
  pool: KernelPool,
  block: ScoreBlock,
  experts: readonly Forged[],
  judges: Judges,
): Promise<LaneShares> {
  const { memory } = pool;
  const { lanes, usedLanes, itemCount } = block;
  const slot = Math.min(itemCount, PER_LANE * (usedLanes + 1), MAX_UNION);
  const counts = memory.u32(judges.count);
  const items = memory.u32(judges.count * slot);
  const shares = memory.f32(judges.count * slot * lanes);
  await pool.run(
    'collectCandidates',
    [block.pointer, usersOf(memory, judges), PER_LANE, usedLanes, slot, counts, items, shares, block.scratchBytes],
    { rows: judges.count, scratchBytes: block.scratchBytes + itemCount * 4 + PER_LANE * 4 },
  );
  const collected = { judges, slot, lanes, counts, items, shares };
  const lane = experts.findIndex((expert) => expert.popularity);
  if (lane >= 0) addPopular(collected, lane, experts[lane].popularity!);
  return collected;
}

/** The kernel knows only items that a history leads to: the most popular of the others come in here. */
function addPopular(
  { judges, slot, lanes, counts, items, shares }: LaneShares,
  lane: number,
  popularity: Float32Array,
) {
  const order = Uint32Array.from(popularity.keys()).sort((a, b) => popularity[b] - popularity[a] || a - b);
  const mark = new Int32Array(popularity.length).fill(-1);
  for (let u = 0; u < judges.count; u++) {
    for (let row = u * slot; row < u * slot + counts[u]; row++) mark[items[row]] = u;
    for (let at = judges.offsets[u]; at < judges.offsets[u + 1]; at++) {
      if (judges.seen[at] !== 0) mark[judges.items[at]] = u;
    }
    for (let at = judges.excludedOffsets[u]; at < judges.excludedOffsets[u + 1]; at++) mark[judges.excluded[at]] = u;
    let added = 0;
    for (let place = 0; place < order.length && added < PER_LANE && counts[u] < slot; place++) {
      const item = order[place];
      if (mark[item] === u) continue;
      const row = u * slot + counts[u]++;
      items[row] = item;
      shares.fill(0, row * lanes, (row + 1) * lanes);
      shares[row * lanes + lane] = popularity[item];
      added++;
    }
  }
}

/** NDCG of every question under each blend; equal scores share their mean rank. */
export function ndcgsByShares(
  { judges, slot, lanes, counts, items, shares }: LaneShares,
  blends: readonly { weights: readonly number[]; transform: BlendTransform }[],
  cutoff: number,
): Float64Array[] {
  const ndcgs = blends.map(() => new Float64Array(judges.count));
  const usedLanes = blends.map(({ weights }) => [...weights.keys()].filter((lane) => weights[lane] !== 0));
  const scores = new Float64Array(slot);
  // Question by question: the shares of one are near at hand for all blends.
  for (let u = 0; u < judges.count; u++) {
    const wanted = new Set(judges.targets.subarray(judges.targetOffsets[u], judges.targetOffsets[u + 1]));
    const found = placesOf(wanted, items.subarray(u * slot, u * slot + counts[u]));
    if (found.length === 0) continue;
    const ideal = idealGain(wanted.size, cutoff);
    for (let n = 0; n < blends.length; n++) {
      const { weights, transform } = blends[n];
      const logScale = transform.kind === 'log' ? transform.c : null;
      scores.fill(0, 0, counts[u]);
      for (const lane of usedLanes[n]) {
        const weight = weights[lane];
        // Plain indexes: this loop is the larger part of training on little data.
        for (let place = 0, at = u * slot * lanes + lane; place < counts[u]; place++, at += lanes) {
          scores[place] += weight * (logScale === null ? shares[at] : Math.log1p(shares[at] / logScale));
        }
      }
      ndcgs[n][u] = gainOf(scores.subarray(0, counts[u]), found, cutoff) / ideal;
    }
  }
  return ndcgs;
}

/** Returns the positions of the wanted items. */
function placesOf(wanted: ReadonlySet<number>, items: Uint32Array): number[] {
  const places: number[] = [];
  for (let place = 0; place < items.length; place++) if (wanted.has(items[place])) places.push(place);
  return places;
}

/** The gain of the items at these positions by their ranks. */
function gainOf(scores: Float64Array, places: readonly number[], cutoff: number): number {
  let gain = 0;
  for (const place of places) {
    const score = scores[place];
    let better = 0;
    let equal = 0;
    for (let other = 0; other < scores.length && better < cutoff; other++) {
      if (scores[other] > score) better++;
      else if (scores[other] === score) equal++;
    }
    const rank = better + (equal + 1) / 2;
    if (better < cutoff && rank <= cutoff) gain += 1 / Math.log2(rank + 1);
  }
  return gain;
}
