// Nearly z, without the costly part of its logarithms: the search for the best items scores exactly only what can still be among
// them.
//
// With y = 2^n m, 1 ≤ m < 2, log2 y is n + log2 m, and 0 ≤ log2 m − (m − 1) < MOST. n + m − 1 is what the bits of y say as a whole
// number.
import { countOf } from './select';
import { blendReached, HIDDEN, inversesOf, reachedOf, scoresOf, someOf, sumsOf } from './score';
import { floatsAt, ones, word } from './vector';

const LOG_2: f32 = 0.6931472;
/** The largest difference to a logarithm: 0.08607 log 2, rounded up. */
const MOST: f32 = 0.0598;
/** What rounding can change, in proportion to the parts of a score: far more than it does. */
const ROUNDING: f32 = 1e-5;
/** Halvings of the range of scores: beyond these the threshold is good enough. */
const HALVINGS: i32 = 12;

const PART_BYTES: usize = 12;

/** Writes the scores of the reached items, by place; returns how far two of them can be apart and yet change their order. */
export function nearScores(model: usize, count: u32, scratch: usize): f32 {
  const c = load<f32>(model, 32);
  if (!(c > 0)) {
    // Without logarithms z is cheap enough.
    blendReached(model, count, scratch);
    return 0;
  }
  const scores = scoresOf(model, scratch);
  const reached = reachedOf(model, scratch);
  const rests = <usize>word(model, 9);
  const parts = someOf(model, scratch);
  const bytes = <usize>count << 2;
  const end = (bytes + 31) & ~31;
  // Eight at a time: behind the last place any item will do.
  for (let t = bytes; t < end; t += 4) store<u32>(reached + t, 0);
  const largestLog = NativeMathf.log(1 + 1 / c);
  let weights: f32 = 0;
  // Of each expert that counts: → sums, what makes shares of them, and what a step of the logarithm is worth.
  let partsEnd = parts;
  const experts = word(model, 2);
  for (let e: u32 = 0; e < experts; e++) {
    const inverse = load<f32>(inversesOf(scratch) + (<usize>e << 2));
    const weight = load<f32>(<usize>word(model, 7) + (<usize>e << 2));
    if (inverse == 0 || weight == 0) continue;
    weights += abs(weight);
    store<u32>(partsEnd, <u32>sumsOf(model, e, scratch));
    store<f32>(partsEnd, inverse / c, 4);
    store<f32>(partsEnd, weight * LOG_2 / 8388608, 8);
    partsEnd += PART_BYTES;
  }
  const one = ones();
  for (let t: usize = 0; t < end; t += 32) {
    let first = floatsAt(rests, reached + t);
    let second = floatsAt(rests, reached + t + 16);
    for (let part = parts; part < partsEnd; part += PART_BYTES) {
      const sums = <usize>load<u32>(part) + t;
      const scale = v128.load32_splat(part, 4);
      const unit = v128.load32_splat(part, 8);
      first = f32x4.relaxed_madd(nearLog(v128.load(sums), scale, one), unit, first);
      second = f32x4.relaxed_madd(nearLog(v128.load(sums, 16), scale, one), unit, second);
    }
    v128.store(scores + t, first);
    v128.store(scores + t, second, 16);
  }
  return weights * (MOST + 2 * ROUNDING * (1 + largestLog));
}

/** log2(1 + sum · scale), nearly, in units of 2^−23. */
// @ts-ignore: decorator
@inline
function nearLog(sums: v128, scale: v128, one: v128): v128 {
  const y = f32x4.add(one, f32x4.pmax(f32x4.splat(0), f32x4.mul(sums, scale)));
  return f32x4.convert_i32x4_s(i32x4.sub(y, one));
}

/**
 * A score that at least `limit` of the scores reach, not far from the best such one; the lowest if there are fewer. Hidden ones do
 * not count. Up to 15 scores behind the last are overwritten. Where groups of four are enough for the limit, only the largest score
 * of each is looked at: as many scores reach what that many groups reach. `largest`: room for those.
 */
export function nearThreshold(scores: usize, count: u32, limit: u32, largest: usize): f32 {
  const bytes = <usize>count << 2;
  const end = (bytes + 63) & ~63;
  for (let t = bytes; t < end; t += 4) store<f32>(scores + t, HIDDEN);
  const hidden = f32x4.splat(HIDDEN);
  const most = f32x4.splat(f32.MAX_VALUE);
  let lows = most;
  let highs = hidden;
  let counts = i32x4.splat(0);
  for (let t: usize = 0; t < end; t += 64) {
    const first = v128.load(scores + t);
    const second = v128.load(scores + t, 16);
    const third = v128.load(scores + t, 32);
    const fourth = v128.load(scores + t, 48);
    const group = f32x4.pmax(f32x4.pmax(first, second), f32x4.pmax(third, fourth));
    v128.store(largest + (t >> 2), group);
    highs = f32x4.pmax(highs, group);
    counts = i32x4.sub(counts, f32x4.ne(group, hidden));
    const low = f32x4.pmin(f32x4.pmin(unhidden(first), unhidden(second)), f32x4.pmin(unhidden(third), unhidden(fourth)));
    lows = f32x4.pmin(lows, low);
  }
  const groups = <u32>(
    i32x4.extract_lane(counts, 0) + i32x4.extract_lane(counts, 1) + i32x4.extract_lane(counts, 2) + i32x4.extract_lane(counts, 3)
  );
  let low = min(
    min(f32x4.extract_lane(lows, 0), f32x4.extract_lane(lows, 1)), min(f32x4.extract_lane(lows, 2), f32x4.extract_lane(lows, 3)),
  );
  let high = max(
    max(f32x4.extract_lane(highs, 0), f32x4.extract_lane(highs, 1)), max(f32x4.extract_lane(highs, 2), f32x4.extract_lane(highs, 3)),
  );
  const rounding = ROUNDING * max(abs(low), abs(high));
  const isGrouped = groups >= 2 * limit;
  const values = isGrouped ? largest : scores;
  const length = isGrouped ? <u32>(end >> 4) : count;
  let found = isGrouped ? groups : countOf(scores, count, low);
  const enough = limit + (limit >> 2) + 8;
  for (let n = 0; n < HALVINGS && found > enough; n++) {
    const middle = low + (high - low) / 2;
    const reached = countOf(values, length, middle);
    if (reached < limit) high = middle;
    else {
      low = middle;
      found = reached;
    }
  }
  return low - rounding;
}

/** The largest number in the place of hidden scores. */
// @ts-ignore: decorator
@inline
function unhidden(scores: v128): v128 {
  return v128.bitselect(f32x4.splat(f32.MAX_VALUE), scores, f32x4.eq(scores, f32x4.splat(HIDDEN)));
}
