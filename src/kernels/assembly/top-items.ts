// The best of the items that a history reaches, and of those it does not reach: what may be among them is gathered, a threshold
// cuts it down to `limit` items, and a heap sorts those.
//
// The search block (u32 words): 0 limit  1 candidates of the blend that a ranker orders  2 → bitmap of the items that may be
//   listed, 0 for all  3 → order u32: all items of the bitmap, and perhaps others, by falling rest score  4 its length
import { nearScores, nearThreshold } from './near-scores';
import {
  blend, HIDDEN, hideMarked, hidePlace, isHidden, largestOf, placeAfter, reachedOf, restScore, scoresOf, SOME, someOf, sumsOf,
} from './score';
import { countOf } from './select';
import { word } from './vector';

// @ts-ignore: decorator
@inline
export function limitOf(search: usize): u32 {
  return word(search, 0);
}
// @ts-ignore: decorator
@inline
export function candidatesOf(search: usize): u32 {
  return word(search, 1);
}

// A heap of the best `limit`: the worst on top. Worse: smaller score, or equal score and larger index.
// @ts-ignore: decorator
@inline
function worse(scoreA: f32, itemA: u32, scoreB: f32, itemB: u32): bool {
  return scoreA < scoreB || (scoreA == scoreB && itemA > itemB);
}

function siftDown(outItems: usize, outScores: usize, size: u32, at: u32, item: u32, score: f32): void {
  for (;;) {
    let child: u32 = 2 * at + 1;
    if (child >= size) break;
    let childScore = load<f32>(outScores + (<usize>child << 2));
    let childItem = load<u32>(outItems + (<usize>child << 2));
    if (child + 1 < size) {
      const otherScore = load<f32>(outScores + (<usize>(child + 1) << 2));
      const otherItem = load<u32>(outItems + (<usize>(child + 1) << 2));
      if (worse(otherScore, otherItem, childScore, childItem)) {
        child++;
        childScore = otherScore;
        childItem = otherItem;
      }
    }
    if (!worse(childScore, childItem, score, item)) break;
    store<f32>(outScores + (<usize>at << 2), childScore);
    store<u32>(outItems + (<usize>at << 2), childItem);
    at = child;
  }
  store<f32>(outScores + (<usize>at << 2), score);
  store<u32>(outItems + (<usize>at << 2), item);
}

function siftUp(outItems: usize, outScores: usize, at: u32, item: u32, score: f32): void {
  while (at > 0) {
    const parent = (at - 1) >> 1;
    const parentScore = load<f32>(outScores + (<usize>parent << 2));
    const parentItem = load<u32>(outItems + (<usize>parent << 2));
    if (!worse(score, item, parentScore, parentItem)) break;
    store<f32>(outScores + (<usize>at << 2), parentScore);
    store<u32>(outItems + (<usize>at << 2), parentItem);
    at = parent;
  }
  store<f32>(outScores + (<usize>at << 2), score);
  store<u32>(outItems + (<usize>at << 2), item);
}

// @ts-ignore: decorator
@inline
function allowed(allow: usize, j: usize): bool {
  return allow == 0 || ((load<u32>(allow + ((j >> 5) << 2)) >> <u32>(j & 31)) & 1) != 0;
}

/** The best `limit` items, best first, after `sumUp`; returns how many there are. */
export function topItems(
  model: usize, question: usize, count: u32, limit: u32, search: usize, outItems: usize, outScores: usize, scratch: usize,
): u32 {
  const found = gatherBest(model, question, count, limit, search, scratch);
  return bestOf(reachedOf(model, scratch), scoresOf(model, scratch), found, limit, outItems, outScores);
}

/** As topItems, in any order and without scores: `work` has room for them. */
export function setOfBest(
  model: usize, question: usize, count: u32, limit: u32, search: usize, outItems: usize, work: usize, scratch: usize,
): u32 {
  const items = reachedOf(model, scratch);
  const scores = scoresOf(model, scratch);
  const found = keepBest(items, scores, gatherBest(model, question, count, limit, search, scratch), limit);
  if (found > limit) return heapOf(items, scores, found, limit, outItems, work);
  memory.copy(outItems, items, <usize>found << 2);
  return found;
}

/**
 * Writes the best `limit` items, and perhaps others, with their scores over the reached items and theirs; returns how many there
 * are.
 */
function gatherBest(model: usize, question: usize, count: u32, limit: u32, search: usize, scratch: usize): u32 {
  const reached = reachedOf(model, scratch);
  const scores = scoresOf(model, scratch);
  const spread = nearScores(model, count, scratch);
  hideMarked(model, question, scratch);
  const allow = <usize>word(search, 2);
  if (allow != 0) hideOthers(model, allow, count, scratch);
  const least = nearThreshold(scores, count, limit, largestOf(model, scratch)) - spread;
  const places = someOf(model, scratch);
  let some: usize = 0;
  let size: u32 = 0;
  for (let t: u32 = 0; t < count; t += 4) {
    let mask = <u32>i32x4.bitmask(f32x4.ge(v128.load(scores + (<usize>t << 2)), f32x4.splat(least)));
    for (; mask != 0; mask &= mask - 1) {
      store<u32>(places + (some << 2), t + ctz(mask));
      if (++some < SOME) continue;
      size = scoreSome(model, some, size, scratch);
      some = 0;
    }
  }
  size = scoreSome(model, some, size, scratch);
  // What scores less than `limit` others is not among the best.
  let enough = size < limit ? HIDDEN : least;
  const order = <usize>word(search, 3);
  const orderLength = word(search, 4);
  let rests: u32 = 0;
  for (let n: u32 = 0; n < orderLength; n++) {
    const j = load<u32>(order + (<usize>n << 2));
    if (placeAfter(model, j, scratch) != 0 || !allowed(allow, j)) continue;
    const score = restScore(model, j);
    if (score < enough) break;
    store<u32>(reached + (<usize>size << 2), j);
    store<f32>(scores + (<usize>size << 2), score);
    size++;
    if (++rests == limit) enough = score;
  }
  return size;
}

function hideOthers(model: usize, allow: usize, count: u32, scratch: usize): void {
  const reached = reachedOf(model, scratch);
  for (let t: u32 = 0; t < count; t++) {
    if (!allowed(allow, load<u32>(reached + (<usize>t << 2)))) hidePlace(model, t + 1, scratch);
  }
}

/**
 * Scores the items at the places of `someOf` and writes them over the reached ones from place `size` on, which was read before;
 * returns the place after them.
 */
function scoreSome(model: usize, some: usize, size: u32, scratch: usize): u32 {
  const bytes = some << 2;
  const places = someOf(model, scratch);
  const items = places + (SOME << 2);
  const scores = items + (SOME << 2);
  const sums = scores + (SOME << 2);
  const reached = reachedOf(model, scratch);
  const experts = word(model, 2);
  for (let n: usize = 0; n < bytes; n += 4) store<u32>(items + n, load<u32>(reached + (<usize>load<u32>(places + n) << 2)));
  for (let e: u32 = 0; e < experts; e++) {
    const from = sumsOf(model, e, scratch);
    const to = sums + <usize>e * (SOME << 2);
    for (let n: usize = 0; n < bytes; n += 4) store<f32>(to + n, load<f32>(from + (<usize>load<u32>(places + n) << 2)));
  }
  blend(model, <u32>some, items, sums, SOME << 2, scores, scratch);
  memory.copy(reached + (<usize>size << 2), items, bytes);
  memory.copy(scoresOf(model, scratch) + (<usize>size << 2), scores, bytes);
  return size + <u32>some;
}

/** Puts an item into the heap if it is among the best; returns the heap's size. */
// @ts-ignore: decorator
@inline
function offer(outItems: usize, outScores: usize, size: u32, limit: u32, item: u32, score: f32): u32 {
  if (size < limit) {
    siftUp(outItems, outScores, size, item, score);
    return size + 1;
  }
  if (worse(load<f32>(outScores), load<u32>(outItems), score, item)) {
    siftDown(outItems, outScores, size, 0, item, score);
  }
  return size;
}

/** Best first. */
function sortHeap(outItems: usize, outScores: usize, size: u32): void {
  for (let end = size; end > 1; end--) {
    const lastScore = load<f32>(outScores + (<usize>(end - 1) << 2));
    const lastItem = load<u32>(outItems + (<usize>(end - 1) << 2));
    store<f32>(outScores + (<usize>(end - 1) << 2), load<f32>(outScores));
    store<u32>(outItems + (<usize>(end - 1) << 2), load<u32>(outItems));
    siftDown(outItems, outScores, end - 1, 0, lastItem, lastScore);
  }
}

/** The best `limit` of the scored items, best first. Moves those it is given. */
export function bestOf(items: usize, scores: usize, count: u32, limit: u32, outItems: usize, outScores: usize): u32 {
  const found = keepBest(items, scores, count, limit);
  const size = heapOf(items, scores, found, limit, outItems, outScores);
  sortHeap(outItems, outScores, size);
  return size;
}

/** As bestOf, in the order of a heap. */
function heapOf(items: usize, scores: usize, count: u32, limit: u32, outItems: usize, outScores: usize): u32 {
  let size: u32 = 0;
  for (let n: usize = 0; n < <usize>count << 2; n += 4) {
    size = offer(outItems, outScores, size, limit, load<u32>(items + n), load<f32>(scores + n));
  }
  return size;
}

/** Moves the `limit` best items, and all that score as the last of them, to the front; returns how many there are. */
function keepBest(items: usize, scores: usize, count: u32, limit: u32): u32 {
  if (count <= limit) return count;
  const end = <usize>count << 2;
  // At least `limit` score `low`, fewer score `high` unless that is the best score.
  let low: f32 = f32.MAX_VALUE;
  let high: f32 = HIDDEN;
  for (let n: usize = 0; n < end; n += 4) {
    const score = load<f32>(scores + n);
    if (score < low) low = score;
    if (score > high) high = score;
  }
  for (let found = count; found > limit;) {
    const middle = low + (high - low) / 2;
    // Nothing is between the two.
    if (!(middle > low && middle < high)) break;
    const reached = countOf(scores, count, middle);
    if (reached < limit) high = middle;
    else {
      low = middle;
      found = reached;
    }
  }
  // Written in any case, as a branch would often be wrong: only the count decides whether it stays.
  let kept: usize = 0;
  for (let n: usize = 0; n < end; n += 4) {
    const score = load<f32>(scores + n);
    store<u32>(items + kept, load<u32>(items + n));
    store<f32>(scores + kept, score);
    kept += <usize>!(score < low) << 2;
  }
  return <u32>(kept >> 2);
}

/** The best `limit` of all items by given scores, best first: those of the bitmap whose score is not hidden. */
export function bestOfAll(
  scores: usize, count: u32, limit: u32, allow: usize, outItems: usize, outScores: usize,
): u32 {
  let size: u32 = 0;
  for (let j: u32 = 0; j < count; j++) {
    if (size == limit) {
      // Most cannot enter: past those, four at a time.
      const worst = v128.load32_splat(outScores);
      while (j + 4 <= count && !v128.any_true(f32x4.gt(v128.load(scores + (<usize>j << 2)), worst))) j += 4;
      if (j == count) break;
    }
    const score = load<f32>(scores + (<usize>j << 2));
    if (!isHidden(score) && allowed(allow, j)) size = offer(outItems, outScores, size, limit, j, score);
  }
  sortHeap(outItems, outScores, size);
  return size;
}

/** Items with at least this score, in their order; returns how many there are, or `limit` where there are as many or more. */
export function itemsAbove(scores: usize, count: u32, least: f32, limit: u32, outItems: usize): u32 {
  const lowest = f32x4.splat(least);
  let found: u32 = 0;
  for (let j: u32 = 0; j < count; j++) {
    while (j + 4 <= count && !v128.any_true(f32x4.ge(v128.load(scores + (<usize>j << 2)), lowest))) j += 4;
    if (j == count || found == limit) break;
    if (load<f32>(scores + (<usize>j << 2)) < least) continue;
    store<u32>(outItems + (<usize>found << 2), j);
    found++;
  }
  return found;
}
