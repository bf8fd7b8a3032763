// Small vector pieces that several kernels share.

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
