// Scoring one history. The scores of all experts of an item stand side by side ("lanes", a multiple of four), so that the
// blend is a few vector operations an item. Only items that some row of the history reaches ("touched") are visited; every
// other item has the popularity part alone, and enters the answer along the popularity order.
//
// The model block (u32 words, f32 where named):
//   0 items  1 lanes  2 experts  3 seen items take part in the maximum  4 popularity lane or 0xffffffff
//   5 → popularity f32[items], the largest 1  6 → order u32[items] by popularity's part of z, best first  7 → weights f32[lanes]
//   8 c of log(x + c) as f32, 0 when linear
//   10 → experts, 6 words each: → starts, → ends, → columns, → values, → query f32, query length   (lane = place)
// The scratch (all zero on entry and after `clearScores`). A touched item has a place, in the order of first touch, the
// history's items first; what is known of it stands there, close together:
//   places u32[items]: 0 or place + 1, with SEEN   touched u32[items]: the item at a place   z f32[items] by place
//   maxima f32[lanes]   sums f32[items·lanes] by place
import { horizontalSum } from './vector';

/** Marks in `places`. */
export const SEEN: u32 = 0x80000000;
/** A place without its marks. */
export const PLACE: u32 = 0x3fffffff;

// @ts-ignore: decorator
@inline
export function word(block: usize, n: usize): u32 {
  return load<u32>(block + (n << 2));
}
/** Room for items, in fours: vectors may go past the last one. */
// @ts-ignore: decorator
@inline
function room(items: u32): usize {
  return (<usize>items + 3) & ~3;
}
// @ts-ignore: decorator
@inline
export function touchedOf(scratch: usize, items: u32): usize {
  return scratch + (room(items) << 2);
}
// @ts-ignore: decorator
@inline
export function scoresOf(scratch: usize, items: u32): usize {
  return scratch + (room(items) << 3);
}
// @ts-ignore: decorator
@inline
export function maximaOf(scratch: usize, items: u32): usize {
  return scratch + room(items) * 12;
}
// @ts-ignore: decorator
@inline
export function sumsOf(scratch: usize, items: u32, lanes: u32): usize {
  return maximaOf(scratch, items) + (<usize>lanes << 2);
}
/** The first byte after the scratch. */
// @ts-ignore: decorator
@inline
export function scratchEnd(scratch: usize, items: u32, lanes: u32): usize {
  return sumsOf(scratch, items, lanes) + ((room(items) * <usize>lanes) << 2);
}

/** Read from memory where they are used: the engine would put each constant of a vector together anew, which costs more. */
const LOG_TERMS: usize = memory.data<f32>([1, 2.000000836, 0.6664408759, 0.4151747033, 0.69314718056], 16);
const HALF_ROOT: usize = memory.data<u32>([0x3f3504f3], 16);

/**
 * log(1 + v/c) of four values ≥ 0. 1 + v/c = 2^n m with m in [√½, √2), and with s = (m − 1)/(m + 1), which is small,
 * log m = 2 artanh s = s (2 + ⅔ s² + …), the coefficients fitted: error below 2e-7.
 */
// @ts-ignore: decorator
@inline
export function logOf(v: v128, inverseC: v128): v128 {
  const one = v128.load32_splat(LOG_TERMS);
  const y = f32x4.relaxed_madd(v, inverseC, one);
  const n = i32x4.shr_s(i32x4.sub(y, v128.load32_splat(HALF_ROOT)), 23);
  const m = i32x4.sub(y, i32x4.shl(n, 23));
  const s = f32x4.div(f32x4.sub(m, one), f32x4.add(m, one));
  const square = f32x4.mul(s, s);
  let p = f32x4.relaxed_madd(v128.load32_splat(LOG_TERMS, 12), square, v128.load32_splat(LOG_TERMS, 8));
  p = f32x4.relaxed_madd(p, square, v128.load32_splat(LOG_TERMS, 4));
  return f32x4.relaxed_madd(f32x4.convert_i32x4_s(n), v128.load32_splat(LOG_TERMS, 16), f32x4.mul(p, s));
}

/**
 * Reads one word of every cache line of the rows, so that the memory fetches them side by side: rows lie far apart, and one
 * after the other each would be waited for. `sink` is any place that may be written to.
 */
function touchRows(
  reach: u32, history: usize, starts: usize, ends: usize, columns: usize, values: usize, sink: usize,
): void {
  let sum: u32 = 0;
  for (let l: u32 = 0; l < reach; l++) {
    const item = <usize>load<u32>(history + (<usize>l << 2));
    const end = <usize>load<u32>(ends + (item << 2)) << 2;
    for (let at = <usize>load<u32>(starts + (item << 2)) << 2; at < end; at += 64) {
      sum ^= load<u32>(columns + at) ^ load<u32>(values + at);
    }
  }
  store<u32>(sink, sum);
}

/**
 * Sums, maxima: after this, `touched` holds the visited items and every lane of them its raw score. Returns their number.
 * `excluded` items are no part of the history: they are marked as seen and score nothing.
 */
export function accumulate(
  model: usize, length: u32, history: usize, weights: usize, seen: usize, excludedCount: u32, excluded: usize, scratch: usize,
): u32 {
  const items = word(model, 0);
  const lanes = word(model, 1);
  const bytes = <usize>lanes << 2;
  const touched = touchedOf(scratch, items);
  const sums = sumsOf(scratch, items, lanes);
  let count = length;
  for (let l: u32 = 0; l < length; l++) {
    const item = load<u32>(history + (<usize>l << 2));
    store<u32>(scratch + (<usize>item << 2), l + 1);
    store<u32>(touched + (<usize>l << 2), item);
  }
  const experts = word(model, 2);
  for (let e: u32 = 0; e < experts; e++) {
    const expert = <usize>word(model, 10) + <usize>e * 24;
    const starts = <usize>word(expert, 0);
    const ends = <usize>word(expert, 1);
    const columns = <usize>word(expert, 2);
    const values = <usize>word(expert, 3);
    const query = <usize>word(expert, 4);
    const reach = min(length, word(expert, 5));
    touchRows(reach, history, starts, ends, columns, values, maximaOf(scratch, items));
    const itemsFromOne = touched - 4;
    const sumsFromOne = sums - bytes + (<usize>e << 2);
    for (let l: u32 = 0; l < reach; l++) {
      const q = load<f32>(query + (<usize>l << 2)) * load<f32>(weights + (<usize>l << 2));
      if (q == 0) continue;
      const item = <usize>load<u32>(history + (<usize>l << 2));
      const end = load<u32>(ends + (item << 2));
      for (let k = load<u32>(starts + (item << 2)); k < end; k++) {
        const j = load<u32>(columns + (<usize>k << 2));
        // Whether an item is new is a coin toss, which a branch would often get wrong: what an old one has is written again.
        const known = load<u32>(scratch + (<usize>j << 2));
        count += <u32>(known == 0);
        const place = <usize>(known == 0 ? count : known);
        store<u32>(scratch + (<usize>j << 2), <u32>place);
        store<u32>(itemsFromOne + (place << 2), j);
        const sum = sumsFromOne + place * bytes;
        store<f32>(sum, load<f32>(sum) + q * load<f32>(values + (<usize>k << 2)));
      }
    }
  }
  for (let l: u32 = 0; l < length; l++) {
    if (load<u8>(seen + l) != 0) store<u32>(scratch + (<usize>load<u32>(history + (<usize>l << 2)) << 2), (l + 1) | SEEN);
  }
  for (let n: u32 = 0; n < excludedCount; n++) {
    const item = load<u32>(excluded + (<usize>n << 2));
    const known = load<u32>(scratch + (<usize>item << 2)) & PLACE;
    count += <u32>(known == 0);
    const place = <usize>(known == 0 ? count : known);
    store<u32>(touched + ((place - 1) << 2), item);
    store<u32>(scratch + (<usize>item << 2), <u32>place | SEEN);
    memory.fill(sums + (place - 1) * bytes, 0, bytes);
  }
  const popularityLane = word(model, 4);
  if (popularityLane != 0xffffffff) {
    const popularity = <usize>word(model, 5);
    let at = sums + (<usize>popularityLane << 2);
    for (let t: u32 = 0; t < count; t++, at += bytes) {
      store<f32>(at, load<f32>(popularity + (<usize>load<u32>(touched + (<usize>t << 2)) << 2)));
    }
  }
  findMaxima(model, length, seen, count, scratch);
  return count;
}

/** Largest score a lane, over the items that may be answered; stored as its reciprocal, 0 when nothing is positive. */
function findMaxima(model: usize, length: u32, seen: usize, count: u32, scratch: usize): void {
  const items = word(model, 0);
  const lanes = word(model, 1);
  const withSeen = word(model, 3) != 0;
  const maxima = maximaOf(scratch, items);
  const bytes = <usize>lanes << 2;
  const sums = sumsOf(scratch, items, lanes);
  const end = sums + <usize>count * bytes;
  for (let k: usize = 0; k < bytes; k += 16) {
    let largest = f32x4.splat(0);
    let row = sums + k;
    for (let l: u32 = 0; l < length; l++, row += bytes) {
      if (withSeen || load<u8>(seen + l) == 0) largest = f32x4.pmax(largest, v128.load(row));
    }
    for (; row < end; row += bytes) largest = f32x4.pmax(largest, v128.load(row));
    v128.store(maxima + k, largest);
  }
  for (let e: u32 = 0; e < lanes; e++) {
    const at = maxima + (<usize>e << 2);
    const largest = load<f32>(at);
    store<f32>(at, largest > 1e-30 ? <f32>1 / largest : 0);
  }
  // Popularity is normalised by the model, not by the user: what nobody's history reaches scores the same for all.
  const popularityLane = word(model, 4);
  if (popularityLane != 0xffffffff) store<f32>(maxima + (<usize>popularityLane << 2), 1);
}

/** z of the touched items, by place. */
function blend(model: usize, count: u32, scratch: usize): void {
  const items = word(model, 0);
  const lanes = word(model, 1);
  const scores = scoresOf(scratch, items);
  const maxima = maximaOf(scratch, items);
  const laneWeights = <usize>word(model, 7);
  const c = load<f32>(model + 32);
  const bytes = <usize>lanes << 2;
  const zero = f32x4.splat(0);
  const inverseC = f32x4.splat(c > 0 ? <f32>1 / c : 0);
  let row = sumsOf(scratch, items, lanes);
  // Four at a time: one constant serves four logarithms. After the last place all is zero.
  for (let t: u32 = 0; t < count; t += 4, row += bytes << 2) {
    let z0 = zero;
    let z1 = zero;
    let z2 = zero;
    let z3 = zero;
    for (let k: usize = 0; k < bytes; k += 16) {
      const scale = v128.load(maxima + k);
      const weight = v128.load(laneWeights + k);
      let at = row + k;
      let s0 = f32x4.pmax(zero, f32x4.mul(v128.load(at), scale));
      at += bytes;
      let s1 = f32x4.pmax(zero, f32x4.mul(v128.load(at), scale));
      at += bytes;
      let s2 = f32x4.pmax(zero, f32x4.mul(v128.load(at), scale));
      at += bytes;
      let s3 = f32x4.pmax(zero, f32x4.mul(v128.load(at), scale));
      if (c > 0) {
        s0 = logOf(s0, inverseC);
        s1 = logOf(s1, inverseC);
        s2 = logOf(s2, inverseC);
        s3 = logOf(s3, inverseC);
      }
      z0 = f32x4.relaxed_madd(weight, s0, z0);
      z1 = f32x4.relaxed_madd(weight, s1, z1);
      z2 = f32x4.relaxed_madd(weight, s2, z2);
      z3 = f32x4.relaxed_madd(weight, s3, z3);
    }
    // The sums of the four lanes of each, as horizontalSum adds them: (a + c) + (b + d).
    const a = f32x4.add(v128.shuffle<f32>(z0, z1, 0, 1, 4, 5), v128.shuffle<f32>(z0, z1, 2, 3, 6, 7));
    const b = f32x4.add(v128.shuffle<f32>(z2, z3, 0, 1, 4, 5), v128.shuffle<f32>(z2, z3, 2, 3, 6, 7));
    v128.store(
      scores + (<usize>t << 2),
      f32x4.add(v128.shuffle<f32>(a, b, 0, 2, 4, 6), v128.shuffle<f32>(a, b, 1, 3, 5, 7)),
    );
  }
}

/** The popularity part of z: all of z for an item that is not touched. */
// @ts-ignore: decorator
@inline
export function restScore(model: usize, j: usize): f32 {
  const lane = <usize>word(model, 4);
  if (lane == 0xffffffff) return 0;
  const share = v128.load32_splat(<usize>word(model, 5) + (j << 2));
  const c = load<f32>(model + 32);
  const f = c > 0 ? logOf(share, f32x4.splat(<f32>1 / c)) : share;
  return f32x4.extract_lane(f, 0) * load<f32>(<usize>word(model, 7) + (lane << 2));
}

/** Scores a history; `topItems` or `allItems` read the result, and `clearScores` must follow. Answers how many were touched. */
export function scoreHistory(
  model: usize, length: u32, history: usize, weights: usize, seen: usize, excludedCount: u32, excluded: usize, scratch: usize,
): u32 {
  const count = accumulate(model, length, history, weights, seen, excludedCount, excluded, scratch);
  blend(model, count, scratch);
  return count;
}

/** z of every item. */
export function allItems(model: usize, count: u32, out: usize, scratch: usize): void {
  const items = word(model, 0);
  const touched = touchedOf(scratch, items);
  const scores = scoresOf(scratch, items);
  for (let j: u32 = 0; j < items; j++) store<f32>(out + (<usize>j << 2), restScore(model, j));
  for (let t: u32 = 0; t < count; t++) {
    const j = <usize>load<u32>(touched + (<usize>t << 2));
    store<f32>(out + (j << 2), load<f32>(scores + (<usize>t << 2)));
  }
}

/** Brings the scratch back to zero. */
export function clearScores(model: usize, count: u32, scratch: usize): void {
  const items = word(model, 0);
  const lanes = word(model, 1);
  const touched = touchedOf(scratch, items);
  for (let t: u32 = 0; t < count; t++) {
    store<u32>(scratch + (<usize>load<u32>(touched + (<usize>t << 2)) << 2), 0);
  }
  memory.fill(sumsOf(scratch, items, lanes), 0, (<usize>count * <usize>lanes) << 2);
}
