// Scoring one history for work over all users. The items it reaches are numbered as they are met ("slots"), and the experts,
// one after the other, sum into an array over slots, so that all that is written for a user lies close together, and blending
// and clearing run straight through it, four items a step. The scores are those of score.ts without the popularity part.
//
// score.ts does the same sums for one user at a time and keeps the experts of an item side by side, which explaining an answer
// and the search for the best need; it reads the model's own rows, which a node that serves has in memory anyway. Here rows
// are packed anew for the job, at the cost of half a second that only many users make good: one cannot take over for the other.
//
// The packed rows (insight/usage/packed-rows.ts): rows u32[items + 1], where the chunk of each item begins. A chunk has what
// all experts say of the item, in one piece of memory: of each expert scale f32 and where its entries end u32, in bytes from
// the first entry; then the entries in fours, filled up with entries of value 0. Narrow entries (up to 65,536 items) are u32:
// value i16, column u16; of wide ones four columns u32 are followed by four values f32. And signed u32[experts]: whether sums of
// an expert may be below 0.
//
// The scratch, all zero at first (`forget` leaves it ready for the next history):
//   first slot u32, 15 words of nothing, then arrays of `roomOf` bytes, longer than the items by 16 or more:
//   slot u32 of an item: first slot + 4 · its place, below the first slot when it is not reached;
//   item u32 of a place; z f32 of a place; sum f32 of a place, of the expert that is being added
// 64 bytes behind the last place that is used stand zeros in z and sums: loops may step beyond the end.
import { word } from './score';

/** Read from memory for the reason given at LOG_TERMS in score.ts. */
const LOG_BITS: usize = memory.data<u32>([0x3f800000, 0x7fffff], 16);
/**
 * log2 t − t − 126 for 1 ≤ t < 2 as a polynomial, fitted so that log2 t is 0 at 1 and 1 at 2: error below 2e-5. Then 2^−23. The
 * bits of 2^n t, taken as a whole number, are 2^23 (n + 126 + t), so the two together make its logarithm.
 */
const LOG_TERMS: usize = memory.data<f32>(
  [-128.805344343, 4.106976509, -3.568859816, 1.641399622, -0.4193210304, 0.04514906183, 1.1920928955078125e-7],
  16,
);

const HEAD_BYTES: usize = 64;
/** Four cache lines. */
const FETCHED_BYTES: usize = 256;

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
function sumsOf(model: usize, scratch: usize): usize {
  return scoresOf(model, scratch) + roomOf(model);
}
// @ts-ignore: decorator
@inline
export function endOf(model: usize, scratch: usize): usize {
  return sumsOf(model, scratch) + roomOf(model);
}

/** The first slot of the present history: an item is reached when its slot is not below it. */
// @ts-ignore: decorator
@inline
export function firstSlot(scratch: usize): u32 {
  return load<u32>(scratch);
}

/** Scores a history, in the given unit; places 0 … length − 1 are its own items. Answers how many items are reached. */
export function reach(
  model: usize, rows: usize, wide: bool, signed: usize, unit: f32, length: u32, history: usize, weights: usize, seen: usize, scratch: usize,
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
  fetchRows(rows, length, history, reached + (<usize>count << 2));
  for (let e: u32 = 0; e < experts; e++) {
    const expert = <usize>word(model, 10) + <usize>e * 24;
    const sums = sumsOf(model, scratch);
    count = wide
      ? addRows<u64>(expert, rows, e, experts, length, history, weights, count, first, slots, reached, sums)
      : addRows<u32>(expert, rows, e, experts, length, history, weights, count, first, slots, reached, sums);
    // At once: the sums are near, and what only later experts reach has none.
    blendIn(model, e, load<u32>(signed + (<usize>e << 2)) != 0, unit, count, length, seen, scratch);
  }
  return count;
}

/** Adds an expert's rows; answers how many items are reached then. */
function addRows<Entry>(
  expert: usize, rows: usize, e: u32, experts: u32, length: u32, history: usize, weights: usize, count: u32,
  first: u32, slots: usize, reached: usize, sums: usize,
): u32 {
  const query = <usize>word(expert, 4);
  const within = min(length, word(expert, 5));
  const sumOfSlot = sums - <usize>first;
  const itemOfSlot = reached - <usize>first;
  const head = <usize>e << 3;
  let next = first + (count << 2);
  for (let l: u32 = 0; l < within; l++) {
    const row = <usize>load<u32>(rows + (<usize>load<u32>(history + (<usize>l << 2)) << 2));
    const q = load<f32>(query + (<usize>l << 2)) * load<f32>(weights + (<usize>l << 2)) * load<f32>(row + head);
    if (q == 0) continue;
    const factor = f32x4.splat(q);
    const entries = row + (<usize>experts << 3);
    const end = entries + <usize>load<u32>(row + head, 4);
    let at = entries + (e == 0 ? 0 : <usize>load<u32>(row + head - 4));
    const twice = end - 4 * sizeof<Entry>();
    for (; at < twice; at += 8 * sizeof<Entry>()) {
      next = addFour<Entry>(at, factor, first, next, slots, itemOfSlot, sumOfSlot);
      next = addFour<Entry>(at + 4 * sizeof<Entry>(), factor, first, next, slots, itemOfSlot, sumOfSlot);
    }
    if (at < end) next = addFour<Entry>(at, factor, first, next, slots, itemOfSlot, sumOfSlot);
  }
  return (next - first) >> 2;
}

/** Adds four entries; answers the next free slot. */
// @ts-ignore: decorator
@inline
function addFour<Entry>(
  at: usize, factor: v128, first: u32, next: u32, slots: usize, itemOfSlot: usize, sumOfSlot: usize,
): u32 {
  const parts = f32x4.mul(factor, valuesAt<Entry>(at));
  next = addOne(columnAt<Entry>(at, 0), f32x4.extract_lane(parts, 0), first, next, slots, itemOfSlot, sumOfSlot);
  next = addOne(columnAt<Entry>(at, 1), f32x4.extract_lane(parts, 1), first, next, slots, itemOfSlot, sumOfSlot);
  next = addOne(columnAt<Entry>(at, 2), f32x4.extract_lane(parts, 2), first, next, slots, itemOfSlot, sumOfSlot);
  return addOne(columnAt<Entry>(at, 3), f32x4.extract_lane(parts, 3), first, next, slots, itemOfSlot, sumOfSlot);
}

/** The values of four entries: wide ones, of eight bytes, or narrow ones. */
// @ts-ignore: decorator
@inline
function valuesAt<Entry>(at: usize): v128 {
  if (sizeof<Entry>() == 8) return v128.load(at, 16);
  return f32x4.convert_i32x4_s(i32x4.shr_s(v128.load(at), 16));
}

// @ts-ignore: decorator
@inline
function columnAt<Entry>(at: usize, n: usize): u32 {
  if (sizeof<Entry>() == 8) return load<u32>(at + (n << 2));
  return <u32>load<u16>(at + (n << 2));
}

/** Adds to the sum of an item; answers the next free slot. */
// @ts-ignore: decorator
@inline
function addOne(
  j: u32, part: f32, first: u32, next: u32, slots: usize, itemOfSlot: usize, sumOfSlot: usize,
): u32 {
  const cell = slots + (<usize>j << 2);
  // Whether an item is new is a coin toss, which a branch would often get wrong: it is written in any case, and only the
  // count decides whether it stays.
  const known = load<u32>(cell);
  const fresh = known < first;
  const slot = select<u32>(next, known, fresh);
  store<u32>(cell, slot);
  store<u32>(itemOfSlot + <usize>next, j);
  const sum = sumOfSlot + <usize>slot;
  store<f32>(sum, part + load<f32>(sum));
  return next + (<u32>fresh << 2);
}

/**
 * Touches every cache line of the rows once, so that all are on their way before the first is needed: a history's rows lie
 * far apart. A few lines of every row, then the next few of every row: that asks for many pages at once too. What was read goes
 * to a place that is overwritten, or it would be left away.
 */
// @ts-ignore: decorator
@inline
function fetchRows(rows: usize, length: u32, history: usize, sink: usize): void {
  let read: u32 = 0;
  let more = true;
  for (let offset: usize = 0; more; offset += FETCHED_BYTES) {
    more = false;
    for (let l: u32 = 0; l < length; l++) {
      const row = rows + (<usize>load<u32>(history + (<usize>l << 2)) << 2);
      const at = <usize>load<u32>(row) + offset;
      if (at >= <usize>load<u32>(row, 4)) continue;
      read |= load<u32>(at) | load<u32>(at, 64) | load<u32>(at, 128) | load<u32>(at, 192);
      more = true;
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

/** Adds an expert's w · f(sum / largest), in the given unit, to the scores, and clears the sums for the next one. */
function blendIn(
  model: usize, expert: u32, signed: bool, unit: f32, count: u32, length: u32, seen: usize, scratch: usize,
): void {
  const sums = sumsOf(model, scratch);
  const scores = scoresOf(model, scratch);
  const largest = largestSum(sums, count, length, word(model, 3) != 0 ? 0 : seen);
  if (!(largest > 1e-30)) {
    memory.fill(sums, 0, <usize>count << 2);
    return;
  }
  const inverse: f32 = 1 / largest;
  const c = load<f32>(model + 32);
  const weight = unit * load<f32>(<usize>word(model, 7) + (<usize>expert << 2));
  const end = <usize>count << 2;
  if (c > 0) {
    const scale = f32x4.splat(inverse / c);
    const factor = f32x4.splat(weight * <f32>Math.LN2);
    if (signed) addLogs<i32>(sums, scores, end, scale, factor);
    else addLogs<u32>(sums, scores, end, scale, factor);
  } else {
    const zero = f32x4.splat(0);
    const scale = f32x4.splat(weight * inverse);
    for (let at: usize = 0; at < end; at += 16) {
      const part = f32x4.pmax(zero, v128.load(sums + at));
      v128.store(scores + at, f32x4.relaxed_madd(scale, part, v128.load(scores + at)));
      v128.store(sums + at, zero);
    }
  }
}

/**
 * Adds factor · log2(1 + scale · sum) to the scores, and clears the sums. Steps of 16. With a signed type sums may be below 0,
 * and count as 0 then.
 */
// @ts-ignore: decorator
@inline
function addLogs<Sum>(sums: usize, scores: usize, end: usize, scale: v128, factor: v128): void {
  const one = v128.load32_splat(LOG_BITS);
  const mantissa = v128.load32_splat(LOG_BITS, 4);
  const p1 = v128.load32_splat(LOG_TERMS, 4);
  const p2 = v128.load32_splat(LOG_TERMS, 8);
  const p3 = v128.load32_splat(LOG_TERMS, 12);
  const p4 = v128.load32_splat(LOG_TERMS, 16);
  const p5 = v128.load32_splat(LOG_TERMS, 20);
  const p0 = v128.load32_splat(LOG_TERMS);
  const step = v128.load32_splat(LOG_TERMS, 24);
  const zero = i32x4.splat(0);
  for (let at: usize = 0; at < end; at += 64) {
    const from = sums + at;
    const to = scores + at;
    const a = log2Of<Sum>(v128.load(from), scale, one, mantissa, p0, p1, p2, p3, p4, p5, step);
    v128.store(to, f32x4.relaxed_madd(factor, a, v128.load(to)));
    const b = log2Of<Sum>(v128.load(from, 16), scale, one, mantissa, p0, p1, p2, p3, p4, p5, step);
    v128.store(to, f32x4.relaxed_madd(factor, b, v128.load(to, 16)), 16);
    const c = log2Of<Sum>(v128.load(from, 32), scale, one, mantissa, p0, p1, p2, p3, p4, p5, step);
    v128.store(to, f32x4.relaxed_madd(factor, c, v128.load(to, 32)), 32);
    const d = log2Of<Sum>(v128.load(from, 48), scale, one, mantissa, p0, p1, p2, p3, p4, p5, step);
    v128.store(to, f32x4.relaxed_madd(factor, d, v128.load(to, 48)), 48);
    v128.store(from, zero);
    v128.store(from, zero, 16);
    v128.store(from, zero, 32);
    v128.store(from, zero, 48);
  }
}

/** log2(1 + scale · sum). */
// @ts-ignore: decorator
@inline
function log2Of<Sum>(
  sum: v128, scale: v128, one: v128, mantissa: v128, p0: v128, p1: v128, p2: v128, p3: v128, p4: v128, p5: v128, step: v128,
): v128 {
  let y = f32x4.relaxed_madd(sum, scale, one);
  if (isSigned<Sum>()) y = f32x4.pmax(one, y);
  const t = v128.or(v128.and(y, mantissa), one);
  let p = f32x4.relaxed_madd(t, p5, p4);
  p = f32x4.relaxed_madd(p, t, p3);
  p = f32x4.relaxed_madd(p, t, p2);
  p = f32x4.relaxed_madd(p, t, p1);
  p = f32x4.relaxed_madd(p, t, p0);
  return f32x4.relaxed_madd(f32x4.convert_i32x4_s(y), step, p);
}

/** Makes the scratch ready for the next history. */
export function forget(model: usize, count: u32, scratch: usize): void {
  memory.fill(scoresOf(model, scratch), 0, (<usize>count + 16) << 2);
  const first = firstSlot(scratch) + (count << 2);
  // Slots only grow, so that nothing has to be cleared item by item, until the numbers end.
  if (first > u32.MAX_VALUE - 8 * (word(model, 0) + 32)) {
    memory.fill(slotsOf(scratch), 0, roomOf(model));
    store<u32>(scratch, 1);
  } else {
    store<u32>(scratch, first);
  }
}
