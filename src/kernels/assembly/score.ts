// Scoring a history: the one kernel behind serving, evaluation, training and work over all users. What it leaves in the scratch is
// read by the search for the best items (top-items.ts), the ranker (rank.ts), the fit of blends (candidates.ts) and the usage of
// attribute values (usage.ts).
//
// Only items that some row of the history reaches are visited; every other item has its rest score alone, the popularity part of
// z, which is the same for every user. A reached item gets a place, in the order it is met, the history's own items first.
//
// The model block (u32 words, f32 where named):
//   0 items  1 lanes of a ranker's features, a multiple of four  2 experts  4 popularity lane or 0xffffffff
//   5 → popularity f32[items], the largest 1  6 → order u32[items] by rest score, best first  7 → weights f32[lanes]
//   8 c of log(1 + x/c) as f32, 0 when linear  9 → rest scores f32[items]
//   10 → experts, 6 words each: → starts, → ends, → columns, → values, → query f32, query length   (lane = place)
//
// The scratch, all zero at first; `clearScores` makes it ready for the next history:
//   first slot u32, then a question block that bulk kernels write; 64 bytes in all
//   inverses f32[lanes]: 1 / the largest sum of each lane, 0 when nothing is positive
//   and arrays of `roomOf` bytes each, longer than the items by 16 or more, as loops may step beyond the end:
//   slots u32 by item: first slot + 4 · its place; below the first slot when the item is not reached
//   reached u32: the item at a place; scores f32: z at a place; sums f32 at a place, one array for each expert
//   then `someOf` and `largestOf`, and marks u8 by item, which a ranker sets and clears
import { excludedCount, excludedOf, itemsOf, lengthOf, marksOf, weightsOf } from './question';
import { addLogs, addShares, floatsAt, word } from './vector';

const HEAD_BYTES: usize = 64;
/** Items that a search scores at once. */
export const SOME: usize = 64;
export const HIDDEN: f32 = -f32.MAX_VALUE;

// @ts-ignore: decorator
@inline
export function roomOf(model: usize): usize {
  return ((<usize>word(model, 0) + 31) & ~15) << 2;
}
/** Where bulk kernels write the question of the user at hand. */
// @ts-ignore: decorator
@inline
export function questionOf(scratch: usize): usize {
  return scratch + 16;
}
// @ts-ignore: decorator
@inline
export function inversesOf(scratch: usize): usize {
  return scratch + HEAD_BYTES;
}
// @ts-ignore: decorator
@inline
export function slotsOf(model: usize, scratch: usize): usize {
  return inversesOf(scratch) + (<usize>word(model, 1) << 2);
}
// @ts-ignore: decorator
@inline
export function reachedOf(model: usize, scratch: usize): usize {
  return slotsOf(model, scratch) + roomOf(model);
}
// @ts-ignore: decorator
@inline
export function scoresOf(model: usize, scratch: usize): usize {
  return slotsOf(model, scratch) + 2 * roomOf(model);
}
// @ts-ignore: decorator
@inline
export function sumsOf(model: usize, expert: u32, scratch: usize): usize {
  return slotsOf(model, scratch) + (3 + <usize>expert) * roomOf(model);
}
/** Where a search puts some items to score them: places u32, items u32, scores f32, then each expert's sums f32; SOME of each. */
// @ts-ignore: decorator
@inline
export function someOf(model: usize, scratch: usize): usize {
  return sumsOf(model, word(model, 2), scratch);
}
/** Where a search puts the largest scores of groups of four. */
// @ts-ignore: decorator
@inline
export function largestOf(model: usize, scratch: usize): usize {
  return someOf(model, scratch) + (3 + <usize>word(model, 2)) * (SOME << 2);
}
/** One byte an item, all zero but while a ranker reads them. */
// @ts-ignore: decorator
@inline
export function marksOfItems(model: usize, scratch: usize): usize {
  return largestOf(model, scratch) + (roomOf(model) >> 2);
}
/** The first byte after the scratch. */
// @ts-ignore: decorator
@inline
export function scratchEnd(model: usize, scratch: usize): usize {
  return marksOfItems(model, scratch) + (roomOf(model) >> 2);
}

// @ts-ignore: decorator
@inline
export function firstSlot(scratch: usize): u32 {
  return load<u32>(scratch);
}
/** The item's place + 1, 0 when it is not reached. */
// @ts-ignore: decorator
@inline
export function placeAfter(model: usize, item: usize, scratch: usize): u32 {
  const slot = load<u32>(slotsOf(model, scratch) + (item << 2));
  return slot < firstSlot(scratch) ? 0 : ((slot - firstSlot(scratch)) >> 2) + 1;
}
/** z of an item that is not reached. */
// @ts-ignore: decorator
@inline
export function restScore(model: usize, item: usize): f32 {
  return load<f32>(<usize>word(model, 9) + (item << 2));
}
// @ts-ignore: decorator
@inline
export function expertOf(model: usize, expert: u32): usize {
  return <usize>word(model, 10) + <usize>expert * 24;
}
/** How many items of a history an expert looks at. */
// @ts-ignore: decorator
@inline
export function withinOf(expert: usize, question: usize): u32 {
  return min(lengthOf(question), word(expert, 5));
}
/** What the l-th newest item of a history counts to an expert. */
// @ts-ignore: decorator
@inline
export function queryOf(expert: usize, question: usize, l: u32): f32 {
  return load<f32>(<usize>word(expert, 4) + (<usize>l << 2)) * load<f32>(weightsOf(question) + (<usize>l << 2));
}

/** z of every reached item, by place; returns how many there are. `clearScores` must follow when they have been read. */
export function scoreHistory(model: usize, question: usize, scratch: usize): u32 {
  const count = sumUp(model, question, scratch);
  blendReached(model, count, scratch);
  return count;
}

/** z of every reached item, after `sumUp`. */
// @ts-ignore: decorator
@inline
export function blendReached(model: usize, count: u32, scratch: usize): void {
  blend(model, count, reachedOf(model, scratch), sumsOf(model, 0, scratch), roomOf(model), scoresOf(model, scratch), scratch);
}

/** Every expert's sums, and the inverses of the largest ones; returns how many items are reached. */
export function sumUp(model: usize, question: usize, scratch: usize): u32 {
  if (firstSlot(scratch) == 0) store<u32>(scratch, 1);
  const length = lengthOf(question);
  const slots = slotsOf(model, scratch);
  const reached = reachedOf(model, scratch);
  const first = firstSlot(scratch);
  let count: u32 = 0;
  for (; count < length; count++) {
    const item = load<u32>(itemsOf(question) + (<usize>count << 2));
    store<u32>(slots + (<usize>item << 2), first + (count << 2));
    store<u32>(reached + (<usize>count << 2), item);
  }
  const experts = word(model, 2);
  for (let e: u32 = 0; e < experts; e++) count = addRows(model, e, question, count, scratch);
  for (let n: u32 = 0; n < excludedCount(question); n++) {
    const item = load<u32>(excludedOf(question) + (<usize>n << 2));
    let place = placeAfter(model, item, scratch);
    if (place == 0) {
      store<u32>(slots + (<usize>item << 2), first + (count << 2));
      store<u32>(reached + (<usize>count << 2), item);
      place = ++count;
    }
    for (let e: u32 = 0; e < experts; e++) store<f32>(sumsOf(model, e, scratch) + (<usize>(place - 1) << 2), 0);
  }
  for (let e: u32 = 0; e < experts; e++) {
    const largest = largestSum(sumsOf(model, e, scratch), count, question);
    store<f32>(inversesOf(scratch) + (<usize>e << 2), largest > 1e-30 ? <f32>1 / largest : 0);
  }
  // Popularity is normalized by the model, not by the user: what nobody's history reaches scores the same for all.
  const popularityLane = word(model, 4);
  if (popularityLane != 0xffffffff) store<f32>(inversesOf(scratch) + (<usize>popularityLane << 2), 1);
  return count;
}

/** Adds an expert's rows to its sums; returns how many items are reached then. */
function addRows(model: usize, e: u32, question: usize, count: u32, scratch: usize): u32 {
  const expert = expertOf(model, e);
  const within = withinOf(expert, question);
  const history = itemsOf(question);
  const starts = <usize>word(expert, 0);
  const ends = <usize>word(expert, 1);
  const columns = <usize>word(expert, 2);
  const toValue = <usize>word(expert, 3) - columns;
  const slots = slotsOf(model, scratch);
  const first = firstSlot(scratch);
  const itemOfSlot = reachedOf(model, scratch) - <usize>first;
  const sumOfSlot = sumsOf(model, e, scratch) - <usize>first;
  fetchRows(expert, within, history, scratch);
  let next = first + (count << 2);
  for (let l: u32 = 0; l < within; l++) {
    const q = queryOf(expert, question, l);
    if (q == 0) continue;
    const item = <usize>load<u32>(history + (<usize>l << 2)) << 2;
    const end = columns + (<usize>load<u32>(ends + item) << 2);
    let at = columns + (<usize>load<u32>(starts + item) << 2);
    for (; at + 12 < end; at += 16) {
      const values = f32x4.mul(f32x4.splat(q), v128.load(at + toValue));
      next = addEntry(load<u32>(at), f32x4.extract_lane(values, 0), slots, first, next, itemOfSlot, sumOfSlot);
      next = addEntry(load<u32>(at, 4), f32x4.extract_lane(values, 1), slots, first, next, itemOfSlot, sumOfSlot);
      next = addEntry(load<u32>(at, 8), f32x4.extract_lane(values, 2), slots, first, next, itemOfSlot, sumOfSlot);
      next = addEntry(load<u32>(at, 12), f32x4.extract_lane(values, 3), slots, first, next, itemOfSlot, sumOfSlot);
    }
    for (; at < end; at += 4) {
      next = addEntry(load<u32>(at), q * load<f32>(at + toValue), slots, first, next, itemOfSlot, sumOfSlot);
    }
  }
  return (next - first) >> 2;
}

/** Adds a value to an item's sum; returns the slot of the next item that is new. */
// @ts-ignore: decorator
@inline
function addEntry(
  j: u32, value: f32, slots: usize, first: u32, next: u32, itemOfSlot: usize, sumOfSlot: usize,
): u32 {
  const cell = slots + (<usize>j << 2);
  // Whether an item is new is a coin toss, which a branch would often get wrong: it is written in any case, and only the
  // count decides whether it stays.
  const known = load<u32>(cell);
  const isNew = known < first;
  const slot = select<u32>(next, known, isNew);
  store<u32>(cell, slot);
  store<u32>(itemOfSlot + <usize>next, j);
  const sum = sumOfSlot + <usize>slot;
  store<f32>(sum, load<f32>(sum) + value);
  return next + (<u32>isNew << 2);
}

/**
 * Reads one word of every cache line of the rows, so that the memory fetches them side by side: rows lie far apart, and one
 * after the other each would be waited for. What was read is stored where nothing else is, or it would be left away.
 */
function fetchRows(expert: usize, within: u32, history: usize, scratch: usize): void {
  const starts = <usize>word(expert, 0);
  const ends = <usize>word(expert, 1);
  const columns = <usize>word(expert, 2);
  const values = <usize>word(expert, 3);
  let read: u32 = 0;
  for (let l: u32 = 0; l < within; l++) {
    const item = <usize>load<u32>(history + (<usize>l << 2)) << 2;
    const end = <usize>load<u32>(ends + item) << 2;
    for (let at = <usize>load<u32>(starts + item) << 2; at < end; at += 64) {
      read ^= load<u32>(columns + at) ^ load<u32>(values + at);
    }
  }
  store<u32>(scratch + 8, read);
}

/** The largest positive sum of the items that may be listed; 0 when there is none. NaN is no value. */
function largestSum(sums: usize, count: u32, question: usize): f32 {
  const marks = marksOf(question);
  const length = lengthOf(question);
  let largest: f32 = 0;
  let t: u32 = 0;
  for (; t < count && (t < length || (t & 3) != 0); t++) {
    if (marks != 0 && t < length && load<u8>(marks + t) != 0) continue;
    const sum = load<f32>(sums + (<usize>t << 2));
    if (sum > largest) largest = sum;
  }
  // Behind the last place all is zero. In four vectors: one alone would wait for itself at every step.
  let four = f32x4.splat(largest);
  let second = four;
  let third = four;
  let fourth = four;
  for (; t + 12 < count; t += 16) {
    const at = sums + (<usize>t << 2);
    four = f32x4.pmax(four, v128.load(at));
    second = f32x4.pmax(second, v128.load(at, 16));
    third = f32x4.pmax(third, v128.load(at, 32));
    fourth = f32x4.pmax(fourth, v128.load(at, 48));
  }
  for (; t < count; t += 4) four = f32x4.pmax(four, v128.load(sums + (<usize>t << 2)));
  four = f32x4.pmax(f32x4.pmax(four, second), f32x4.pmax(third, fourth));
  const two = f32x4.pmax(four, v128.shuffle<f32>(four, four, 2, 3, 0, 1));
  return max(f32x4.extract_lane(two, 0), f32x4.extract_lane(two, 1));
}

/**
 * z = the rest score + Σ over experts of w · f(sum / the largest sum), of items whose sums are `stride` bytes apart from expert to
 * expert. Arrays are read and written up to the next multiple of four.
 */
export function blend(
  model: usize, count: u32, items: usize, sums: usize, stride: usize, scores: usize, scratch: usize,
): void {
  const bytes = <usize>count << 2;
  const rests = <usize>word(model, 9);
  let t: usize = 0;
  for (; t + 12 < bytes; t += 16) v128.store(scores + t, floatsAt(rests, items + t));
  for (; t < bytes; t += 4) store<f32>(scores + t, restScore(model, load<u32>(items + t)));
  const c = load<f32>(model, 32);
  const experts = word(model, 2);
  for (let e: u32 = 0; e < experts; e++) {
    const inverse = load<f32>(inversesOf(scratch) + (<usize>e << 2));
    const weight = load<f32>(<usize>word(model, 7) + (<usize>e << 2));
    if (inverse == 0 || weight == 0) continue;
    const sum = sums + <usize>e * stride;
    if (c > 0) addLogs(sum, inverse / c, weight, scores, bytes);
    else addShares(sum, inverse, weight, scores, bytes);
  }
}

/** Takes the items that may not be listed out of the scores: see `isHidden`. */
export function hideMarked(model: usize, question: usize, scratch: usize): void {
  const scores = scoresOf(model, scratch);
  const marks = marksOf(question);
  for (let l: u32 = 0; marks != 0 && l < lengthOf(question); l++) {
    if (load<u8>(marks + l) != 0) store<f32>(scores + (<usize>l << 2), HIDDEN);
  }
  for (let n: u32 = 0; n < excludedCount(question); n++) {
    hidePlace(model, placeAfter(model, load<u32>(excludedOf(question) + (<usize>n << 2)), scratch), scratch);
  }
}
/** `place` as of `placeAfter`. */
// @ts-ignore: decorator
@inline
export function hidePlace(model: usize, place: u32, scratch: usize): void {
  store<f32>(scoresOf(model, scratch) + (<usize>(place - 1) << 2), HIDDEN);
}
// @ts-ignore: decorator
@inline
export function isHidden(score: f32): bool {
  return score == HIDDEN;
}

/** z of every item, also of those that may not be listed. */
export function allItems(model: usize, count: u32, out: usize, scratch: usize): void {
  memory.copy(out, <usize>word(model, 9), <usize>word(model, 0) << 2);
  const reached = reachedOf(model, scratch);
  const scores = scoresOf(model, scratch);
  for (let t: usize = 0; t < <usize>count << 2; t += 4) {
    store<f32>(out + (<usize>load<u32>(reached + t) << 2), load<f32>(scores + t));
  }
}

/** Makes the scratch ready for the next history. */
export function clearScores(model: usize, count: u32, scratch: usize): void {
  const experts = word(model, 2);
  for (let e: u32 = 0; e < experts; e++) memory.fill(sumsOf(model, e, scratch), 0, <usize>count << 2);
  // Slots only grow, so that nothing has to be cleared item by item, until the numbers end.
  const first = firstSlot(scratch) + (count << 2);
  const isLast = first > u32.MAX_VALUE - 8 * (word(model, 0) + 32);
  if (isLast) memory.fill(slotsOf(model, scratch), 0, roomOf(model));
  store<u32>(scratch, isLast ? 1 : first);
}
