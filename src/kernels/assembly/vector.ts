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

/** Read from memory where they are used: V8 builds a vector constant again at every use, which costs more. */
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
