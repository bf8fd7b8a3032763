// Small pieces that several kernels share: words of a block, and vectors of four floats.

// @ts-ignore: decorator
@inline
export function word(block: usize, n: usize): u32 {
  return load<u32>(block + (n << 2));
}

// @ts-ignore: decorator
@inline
export function horizontalSum(v: v128): f32 {
  const pairs = f32x4.add(v, v128.shuffle<f32>(v, v, 2, 3, 0, 1));
  return f32x4.extract_lane(pairs, 0) + f32x4.extract_lane(pairs, 1);
}

export function dot(a: usize, b: usize, length: u32): f32 {
  let sum = f32x4.splat(0);
  let second = f32x4.splat(0);
  const bytes = <usize>length << 2;
  let k: usize = 0;
  for (; k + 32 <= bytes; k += 32) {
    sum = f32x4.relaxed_madd(v128.load(a + k), v128.load(b + k), sum);
    second = f32x4.relaxed_madd(v128.load(a + k, 16), v128.load(b + k, 16), second);
  }
  for (; k + 16 <= bytes; k += 16) sum = f32x4.relaxed_madd(v128.load(a + k), v128.load(b + k), sum);
  let total = horizontalSum(f32x4.add(sum, second));
  for (; k < bytes; k += 4) total += load<f32>(a + k) * load<f32>(b + k);
  return total;
}

/** Four of a table's floats, by their indices u32. */
// @ts-ignore: decorator
@inline
export function floatsAt(table: usize, indices: usize): v128 {
  let four = v128.load32_zero(table + (<usize>load<u32>(indices) << 2));
  four = v128.load_lane<f32>(table + (<usize>load<u32>(indices, 4) << 2), four, 1);
  four = v128.load_lane<f32>(table + (<usize>load<u32>(indices, 8) << 2), four, 2);
  return v128.load_lane<f32>(table + (<usize>load<u32>(indices, 12) << 2), four, 3);
}

/** Adds weight · scale · value to each score, up to the next multiple of four; a value below 0 counts as 0. */
export function addShares(values: usize, scale: f32, weight: f32, scores: usize, bytes: usize): void {
  const scales = f32x4.splat(scale);
  const weights = f32x4.splat(weight);
  for (let t: usize = 0; t < bytes; t += 16) {
    const share = f32x4.pmax(f32x4.splat(0), f32x4.mul(v128.load(values + t), scales));
    v128.store(scores + t, f32x4.relaxed_madd(weights, share, v128.load(scores + t)));
  }
}

/** Read from memory: V8 builds a vector constant again at every use, which costs more. */
const LOG_TERMS: usize = memory.data<f32>([1, 2.000000836, 0.6664408759, 0.4151747033, 0.69314718056], 16);
const HALF_ROOT: usize = memory.data<u32>([0x3f3504f3], 16);

// @ts-ignore: decorator
@inline
function logTerm(n: usize): v128 {
  return v128.load32_splat(LOG_TERMS + (n << 2));
}

/** 1 in each place. */
// @ts-ignore: decorator
@inline
export function ones(): v128 {
  return logTerm(0);
}

/** log(1 + v/c) of four values ≥ 0. */
// @ts-ignore: decorator
@inline
export function logOf(v: v128, inverseC: v128): v128 {
  const y = f32x4.relaxed_madd(v, inverseC, ones());
  return logFrom(y, ones(), v128.load32_splat(HALF_ROOT), logTerm(1), logTerm(2), logTerm(3), logTerm(4));
}

/** As addShares, weight · log(1 + scale · value). The constants are loaded before the loop: V8 does not move a load out of it. */
export function addLogs(values: usize, scale: f32, weight: f32, scores: usize, bytes: usize): void {
  const scales = f32x4.splat(scale);
  const weights = f32x4.splat(weight);
  const one = ones();
  const halfRoot = v128.load32_splat(HALF_ROOT);
  const first = logTerm(1);
  const second = logTerm(2);
  const third = logTerm(3);
  const log2 = logTerm(4);
  for (let t: usize = 0; t < bytes; t += 16) {
    const share = f32x4.pmax(f32x4.splat(0), f32x4.mul(v128.load(values + t), scales));
    const log = logFrom(f32x4.add(share, one), one, halfRoot, first, second, third, log2);
    v128.store(scores + t, f32x4.relaxed_madd(weights, log, v128.load(scores + t)));
  }
}

/**
 * log y of four values ≥ 1. y = 2^n m with m in [√½, √2), and with s = (m − 1)/(m + 1), which is small,
 * log m = 2 artanh s = s (2 + ⅔ s² + …), the coefficients fitted: error below 2e-7.
 */
// @ts-ignore: decorator
@inline
function logFrom(y: v128, one: v128, halfRoot: v128, first: v128, second: v128, third: v128, log2: v128): v128 {
  const n = i32x4.shr_s(i32x4.sub(y, halfRoot), 23);
  const m = i32x4.sub(y, i32x4.shl(n, 23));
  const s = f32x4.div(f32x4.sub(m, one), f32x4.add(m, one));
  const square = f32x4.mul(s, s);
  let p = f32x4.relaxed_madd(third, square, second);
  p = f32x4.relaxed_madd(p, square, first);
  return f32x4.relaxed_madd(f32x4.convert_i32x4_s(n), log2, f32x4.mul(p, s));
}
