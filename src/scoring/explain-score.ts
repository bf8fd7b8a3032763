// What a score is made of. Each expert's part of it is shared by the history items that speak for the item, in proportion to what
// they add to the expert's score; what an item has by itself is popularity. The terms add up to the score.
import { OWN_NUMBERS } from '../history/fold-events.ts';
import type { ScoringHistory } from '../history/user-signal.ts';
import { MAX_DEEP, SHARE_LOGS } from './ranker-block.ts';
import type { SparseLane } from './score-block.ts';
import type { LaneScoring } from './score-lanes.ts';

/** As in kernels/assembly/rank.ts; scorer.test.ts holds the two equal. */
const SHARE_CONSTANTS = [0.003, 0.03, 0.3];
const DEEP_CONSTANTS = [0.03, 0.3];
/** What is known of them is kept at once: a number for each, expert and item of the history. */
const ITEMS_AT_ONCE = 64;

export interface ShownItem {
  readonly item: number;
  /** sums of the experts */
  readonly raw: Float32Array;
  /** 1 / the largest sum of each expert */
  readonly inverse: Float32Array;
  /** share of popularity */
  readonly popularity: number;
}

export interface ScoreParts {
  readonly terms: Float32Array;
  /** what no history item accounts for */
  readonly rest: number;
  readonly z: number;
}

/** What the history says of one item to one expert. */
interface Contributions {
  /** per history item, only positive ones */
  readonly each: Float32Array;
  readonly sum: number;
  readonly count: number;
  readonly largest: number;
  readonly newest: number;
}

/** Of each shown item, in their order. The rows of the history are walked once for many items, not once for each. */
export function* explainScores(
  sparse: readonly SparseLane[],
  scoring: LaneScoring,
  history: ScoringHistory,
  shown: readonly ShownItem[],
): Generator<ScoreParts> {
  const places = new Uint16Array(Math.max(0, ...sparse.map(({ starts }) => starts.length)));
  for (let from = 0; from < shown.length; from += ITEMS_AT_ONCE) {
    const some = shown.slice(from, from + ITEMS_AT_ONCE);
    for (const [n, { item }] of some.entries()) places[item] = n + 1;
    const found = sparse.map((rows) => contributionsTo(rows, history, places, some.length));
    for (const one of some) {
      const ofItem = found.map((ofLane) => ofLane[places[one.item] - 1]);
      yield explainScore(scoring, history, one, ofItem);
    }
    for (const { item } of some) places[item] = 0;
  }
}

function explainScore(
  scoring: LaneScoring,
  history: ScoringHistory,
  shown: ShownItem,
  contributions: readonly Contributions[],
): ScoreParts {
  const { weights, logConstant, ranker } = scoring;
  const used = contributions.length + 1;
  const shareOf = (lane: number) => Math.max(0, shown.raw[lane] * shown.inverse[lane]);
  /** The part of a lane's share alone. */
  const partOfShare = (lane: number, share: number): number => {
    if (ranker === null) return weights[lane] * (logConstant > 0 ? Math.log1p(share / logConstant) : share);
    return SHARE_CONSTANTS.reduce((sum, c, n) => sum + ranker.weights[n * used + lane] * Math.log1p(share / c), 0);
  };
  const terms = new Float32Array(history.length);
  let rest = partOfShare(contributions.length, shown.popularity) + (ranker?.bias[shown.item] ?? 0);
  let z = rest;
  for (const [lane, found] of contributions.entries()) {
    const deep = ranker?.deep.indexOf(lane) ?? -1;
    const share = shareOf(lane);
    if (deep < 0 && share === 0) continue;
    let part = partOfShare(lane, share);
    if (deep >= 0) part += partOfContributions(ranker!.weights, SHARE_LOGS * used + deep, found, shown.inverse[lane]);
    z += part;
    if (found.sum === 0) rest += part;
    else for (let l = 0; l < history.length; l++) terms[l] += (part * found.each[l]) / found.sum;
  }
  const own = ownPart(scoring, used, history, shown.item);
  if (own !== null) {
    terms[own.place] += own.part;
    z += own.part;
  }
  return { terms, rest, z };
}

/** Of each item with a place (from 1; 0: not shown). */
function contributionsTo(
  { starts, ends, columns, values, query }: SparseLane,
  history: ScoringHistory,
  places: Uint16Array,
  count: number,
): Contributions[] {
  const nothing = { sum: 0, count: 0, largest: 0, newest: 0 };
  const all = Array.from({ length: count }, () => ({ each: new Float32Array(history.length), ...nothing }));
  for (let l = 0; l < Math.min(history.length, query.length); l++) {
    for (let at = starts[history.items[l]]; at < ends[history.items[l]]; at++) {
      const place = places[columns[at]];
      if (place === 0) continue;
      const value = query[l] * history.weights[l] * values[at];
      if (!(value > 0)) continue;
      const found = all[place - 1];
      found.each[l] += value;
      found.sum += value;
      found.count++;
      found.largest = Math.max(found.largest, value);
      if (l === 0) found.newest = value;
    }
  }
  return all;
}

/** `first`: place of the expert's first weight for contributions. */
function partOfContributions(
  weights: ArrayLike<number>,
  first: number,
  { count, largest, newest }: Contributions,
  inverse: number,
): number {
  const at = (n: number) => weights[first + n * MAX_DEEP];
  let part = at(0) * Math.log1p(count);
  for (const [n, c] of DEEP_CONSTANTS.entries()) {
    part += at(1 + n) * Math.log1p((largest * inverse) / c) + at(3 + n) * Math.log1p((newest * inverse) / c);
  }
  return part;
}

/** What the user's own past with the item adds; null when it is not in the history. */
function ownPart({ ranker }: LaneScoring, used: number, { own, items, length }: ScoringHistory, item: number) {
  if (ranker === null || !own) return null;
  const place = items.subarray(0, length).indexOf(item);
  if (place < 0) return null;
  const first = SHARE_LOGS * used + 5 * MAX_DEEP;
  let part = 0;
  for (let n = 0; n < OWN_NUMBERS; n++) part += ranker.weights[first + n] * own[place * OWN_NUMBERS + n];
  return { place, part };
}
