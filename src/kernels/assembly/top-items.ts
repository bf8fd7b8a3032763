// The best of the items that `scoreHistory` scored, and of those it did not touch, by a heap of as many as are asked for.
import { restScore, scoresOf, SEEN, touchedOf, word } from './score';

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

/**
 * The best `limit` items, best first. `allow` is a bitmap of items or 0; `order` holds all allowed items, and perhaps others,
 * by falling popularity part of z.
 */
export function topItems(
  model: usize, count: u32, limit: u32, allow: usize, order: usize, orderLength: u32, excludeSeen: u32,
  outItems: usize, outScores: usize, scratch: usize,
): u32 {
  const items = word(model, 0);
  const touched = touchedOf(scratch, items);
  const scores = scoresOf(scratch, items);
  let size: u32 = 0;
  for (let t: u32 = 0; t < count; t++) {
    if (size == limit) {
      // Most cannot enter: past those, four at a time.
      const worst = v128.load32_splat(outScores);
      while (t + 4 <= count && !v128.any_true(f32x4.ge(v128.load(scores + (<usize>t << 2)), worst))) t += 4;
      if (t == count) break;
    }
    const score = load<f32>(scores + (<usize>t << 2));
    if (size == limit && score < load<f32>(outScores)) continue;
    const j = load<u32>(touched + (<usize>t << 2));
    if (excludeSeen != 0 && (load<u32>(scratch + (<usize>j << 2)) & SEEN) != 0) continue;
    if (!allowed(allow, j)) continue;
    if (size < limit) {
      siftUp(outItems, outScores, size, j, score);
      size++;
    } else if (worse(load<f32>(outScores), load<u32>(outItems), score, j)) {
      siftDown(outItems, outScores, size, 0, j, score);
    }
  }
  for (let n: u32 = 0; n < orderLength; n++) {
    const j = load<u32>(order + (<usize>n << 2));
    if (load<u32>(scratch + (<usize>j << 2)) != 0 || !allowed(allow, j)) continue;
    const score = restScore(model, j);
    if (size < limit) {
      siftUp(outItems, outScores, size, j, score);
      size++;
    } else if (worse(load<f32>(outScores), load<u32>(outItems), score, j)) {
      siftDown(outItems, outScores, size, 0, j, score);
    } else {
      break;
    }
  }
  sortHeap(outItems, outScores, size);
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

/** The best `limit` of the scored items, best first. */
export function bestOf(items: usize, scores: usize, count: u32, limit: u32, outItems: usize, outScores: usize): u32 {
  let size: u32 = 0;
  for (let n: u32 = 0; n < count; n++) {
    const item = load<u32>(items + (<usize>n << 2));
    const score = load<f32>(scores + (<usize>n << 2));
    if (size < limit) {
      siftUp(outItems, outScores, size, item, score);
      size++;
    } else if (worse(load<f32>(outScores), load<u32>(outItems), score, item)) {
      siftDown(outItems, outScores, size, 0, item, score);
    }
  }
  sortHeap(outItems, outScores, size);
  return size;
}
