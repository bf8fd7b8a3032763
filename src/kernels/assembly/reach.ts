// Scoring one history for work over all users. The items it reaches are numbered as they are met ("slots"), and each expert
// sums into its own array over slots, so that all that is written for a user lies close together, and blending and clearing
// run straight through it, four items a step. The scores are those of score.ts without the popularity part.
//
// The scratch, all zero at first (`forget` leaves it ready for the next history):
//   first slot u32, 15 words of nothing, then arrays of `roomOf` bytes, longer than the items by 16 or more:
//   slot u32 of an item: first slot + 4 · its place, below the first slot when it is not reached;
//   item u32 of a place; z f32 of a place; sums f32 of a place, one array an expert
// 64 bytes behind the last place that is used stand zeros in z and sums: loops may step beyond the end.
import { logOf, word } from './score';

const HEAD_BYTES: usize = 64;

// @ts-ignore: decorator
@inline
export function roomOf(model: usize): usize {
  return ((<usize>word(model, 0) + 31) & ~15) << 2;
}
// @ts-ignore: decorator
@inline
export function slotsOf(scratch: usize): usize {
  return scratch + HEAD_BYTES;
}
// @ts-ignore: decorator
@inline
export function reachedOf(model: usize, scratch: usize): usize {
  return slotsOf(scratch) + roomOf(model);
}
// @ts-ignore: decorator
@inline
export function scoresOf(model: usize, scratch: usize): usize {
  return reachedOf(model, scratch) + roomOf(model);
}
// @ts-ignore: decorator
@inline
function sumsOf(model: usize, expert: u32, scratch: usize): usize {
  return scoresOf(model, scratch) + roomOf(model) * <usize>(1 + expert);
}
// @ts-ignore: decorator
@inline
export function endOf(model: usize, scratch: usize): usize {
  return sumsOf(model, word(model, 2), scratch);
}

/** The first slot of the present history: an item is reached when its slot is not below it. */
// @ts-ignore: decorator
@inline
export function firstSlot(scratch: usize): u32 {
  return load<u32>(scratch);
}

/** Scores a history; places 0 … length − 1 are its own items. Answers how many items are reached. */
export function reach(
  model: usize, length: u32, history: usize, weights: usize, seen: usize, scratch: usize,
): u32 {
  const slots = slotsOf(scratch);
  const reached = reachedOf(model, scratch);
  if (firstSlot(scratch) == 0) store<u32>(scratch, 1);
  const first = firstSlot(scratch);
  for (let l: u32 = 0; l < length; l++) {
    const item = load<u32>(history + (<usize>l << 2));
    store<u32>(slots + (<usize>item << 2), first + (l << 2));
    store<u32>(reached + (<usize>l << 2), item);
  }
  let count = length;
  const experts = word(model, 2);
  for (let e: u32 = 0; e < experts; e++) {
    count = addRows(
      <usize>word(model, 10) + <usize>e * 24, length, history, weights, count, first, slots, reached,
      sumsOf(model, e, scratch),
    );
    // At once: the sums are near, and what only later experts reach has none.
    blendIn(model, e, count, length, seen, scratch);
  }
  return count;
}

/** Adds the rows of a sparse expert; answers how many items are reached then. */
function addRows(
  expert: usize, length: u32, history: usize, weights: usize, count: u32, first: u32, slots: usize, reached: usize,
  sums: usize,
): u32 {
  const starts = <usize>word(expert, 0);
  const ends = <usize>word(expert, 1);
  const query = <usize>word(expert, 4);
  const within = min(length, word(expert, 5));
  const columns = <usize>word(expert, 2);
  const values = <usize>word(expert, 3) - columns;
  fetchRows(starts, ends, columns, values, history, within, reached + (<usize>count << 2));
  const sumOfSlot = sums - <usize>first;
  let next = first + (count << 2);
  const itemOfSlot = reached - <usize>first;
  for (let l: u32 = 0; l < within; l++) {
    const q = load<f32>(query + (<usize>l << 2)) * load<f32>(weights + (<usize>l << 2));
    if (q == 0) continue;
    const item = <usize>load<u32>(history + (<usize>l << 2)) << 2;
    const end = columns + (<usize>load<u32>(ends + item) << 2);
    for (let at = columns + (<usize>load<u32>(starts + item) << 2); at < end; at += 4) {
      const j = load<u32>(at);
      const cell = slots + (<usize>j << 2);
      // Whether an item is new is a coin toss, which a branch would often get wrong: it is written in any case, and only the
      // count decides whether it stays.
      const known = load<u32>(cell);
      const fresh = known < first;
      const slot = select<u32>(next, known, fresh);
      store<u32>(cell, slot);
      store<u32>(itemOfSlot + <usize>next, j);
      next += <u32>fresh << 2;
      const sum = sumOfSlot + <usize>slot;
      store<f32>(sum, load<f32>(sum) + q * load<f32>(at + values));
    }
  }
  return (next - first) >> 2;
}

/**
 * Touches every cache line of the rows once, so that all are on their way before the first is needed: a history's rows lie
 * far apart. What was read goes to a place that is overwritten, or it would be left away.
 */
// @ts-ignore: decorator
@inline
function fetchRows(
  starts: usize, ends: usize, columns: usize, values: usize, history: usize, length: u32, sink: usize,
): void {
  let read: u32 = 0;
  for (let l: u32 = 0; l < length; l++) {
    const item = <usize>load<u32>(history + (<usize>l << 2)) << 2;
    const end = columns + (<usize>load<u32>(ends + item) << 2);
    for (let at = columns + (<usize>load<u32>(starts + item) << 2); at < end; at += 64) {
      read |= load<u32>(at) | load<u32>(at + values);
    }
  }
  store<u32>(sink, read);
}

/** The largest sum among the items that may be answered: with `seen`, not those of the history that are marked in it. */
function largestSum(sums: usize, count: u32, length: u32, seen: usize): f32 {
  let largest: f32 = 0;
  let t: u32 = 0;
  for (; t < count && (t < length || (t & 3) != 0); t++) {
    if (seen != 0 && t < length && load<u8>(seen + t) != 0) continue;
    largest = max(largest, load<f32>(sums + (<usize>t << 2)));
  }
  // What stands behind the last place is zero.
  let a = f32x4.splat(largest);
  let b = a;
  let c = a;
  let d = a;
  for (; t < count; t += 16) {
    const at = sums + (<usize>t << 2);
    a = f32x4.pmax(a, v128.load(at));
    b = f32x4.pmax(b, v128.load(at, 16));
    c = f32x4.pmax(c, v128.load(at, 32));
    d = f32x4.pmax(d, v128.load(at, 48));
  }
  const four = f32x4.pmax(f32x4.pmax(a, b), f32x4.pmax(c, d));
  const two = f32x4.pmax(four, v128.shuffle<f32>(four, four, 2, 3, 0, 1));
  return max(f32x4.extract_lane(two, 0), f32x4.extract_lane(two, 1));
}

/** Adds an expert's w · f(sum / largest) to the scores. */
function blendIn(model: usize, expert: u32, count: u32, length: u32, seen: usize, scratch: usize): void {
  const sums = sumsOf(model, expert, scratch);
  const scores = scoresOf(model, scratch);
  const largest = largestSum(sums, count, length, word(model, 3) != 0 ? 0 : seen);
  if (!(largest > 1e-30)) return;
  const inverse: f32 = 1 / largest;
  const c = load<f32>(model + 32);
  const weight = v128.load32_splat(<usize>word(model, 7) + (<usize>expert << 2));
  const zero = f32x4.splat(0);
  const end = <usize>count << 2;
  if (c > 0) {
    const scale = f32x4.splat(inverse / c);
    for (let at: usize = 0; at < end; at += 32) {
      const part = logOf(f32x4.pmax(zero, v128.load(sums + at)), scale);
      const next = logOf(f32x4.pmax(zero, v128.load(sums + at, 16)), scale);
      v128.store(scores + at, f32x4.relaxed_madd(weight, part, v128.load(scores + at)));
      v128.store(scores + at, f32x4.relaxed_madd(weight, next, v128.load(scores + at, 16)), 16);
    }
  } else {
    const scale = f32x4.mul(weight, f32x4.splat(inverse));
    for (let at: usize = 0; at < end; at += 16) {
      const part = f32x4.pmax(zero, v128.load(sums + at));
      v128.store(scores + at, f32x4.relaxed_madd(scale, part, v128.load(scores + at)));
    }
  }
}

/** Makes the scratch ready for the next history. */
export function forget(model: usize, count: u32, scratch: usize): void {
  const experts = word(model, 2) + word(model, 3);
  const bytes = (<usize>count + 16) << 2;
  memory.fill(scoresOf(model, scratch), 0, bytes);
  for (let e: u32 = 0; e < experts; e++) memory.fill(sumsOf(model, e, scratch), 0, bytes);
  const first = firstSlot(scratch) + (count << 2);
  // Slots only grow, so that nothing has to be cleared item by item, until the numbers end.
  if (first > u32.MAX_VALUE - 8 * (word(model, 0) + 32)) {
    memory.fill(slotsOf(scratch), 0, roomOf(model));
    store<u32>(scratch, 1);
  } else {
    store<u32>(scratch, first);
  }
}
