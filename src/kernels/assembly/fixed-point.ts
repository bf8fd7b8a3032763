// Sums of pairs in fixed point: whole numbers add up to the same in any order, on any number of threads, and in any program that
// counts the same pairs (src/dataset/fixed-point.ts has the same rules for the others).

/** A weight in units of 2^−16. Weights are multiples of it, below 256. */
// @ts-ignore: decorator
@inline
export function fixedWeight(weight: f32): u32 {
  return <u32>(weight * 65536);
}

/** weight (2^−16) × scale (2^−20) in units of 2^−24; fits 32 bits. */
// @ts-ignore: decorator
@inline
export function scaledWeight(weight: u32, scale: u32): u32 {
  return <u32>((<u64>weight * <u64>scale) >> 12);
}

/** A sum (2^−24) as a float. */
// @ts-ignore: decorator
@inline
export function sumAsFloat(sum: u64): f32 {
  return <f32>sum * <f32>(1.0 / 16777216.0);
}

/**
 * Puts items in ascending order, so that of equal values the same are kept whoever counts. bits: items / 64 + 1 u64, zero on entry
 * and on return.
 */
export function sortItems(touched: usize, count: u32, bits: usize, itemCount: u32): void {
  for (let t: u32 = 0; t < count; t++) {
    const j = load<u32>(touched + (<usize>t << 2));
    const at = bits + (<usize>(j >> 6) << 3);
    store<u64>(at, load<u64>(at) | (<u64>1 << <u64>(j & 63)));
  }
  let out = touched;
  const words = (itemCount >> 6) + 1;
  for (let word: u32 = 0; word < words; word++) {
    const at = bits + (<usize>word << 3);
    let left = load<u64>(at);
    if (left == 0) continue;
    store<u64>(at, 0);
    for (; left != 0; left &= left - 1) {
      store<u32>(out, (word << 6) + <u32>ctz(left));
      out += 4;
    }
  }
}
