// Selection of the k largest positive values of a list. The bits of positive floats order as integers: halving their range
// finds the k-th largest, each step counting the values above it four at a time. Among values equal to it the first ones win.

/** How many of values[0 … count) are at least `least`. */
export function countOf(values: usize, count: u32, least: f32): u32 {
  const spread = f32x4.splat(least);
  let first = i32x4.splat(0);
  let second = first;
  const end = values + (<usize>count << 2);
  let at = values;
  for (; at + 32 <= end; at += 32) {
    first = i32x4.sub(first, f32x4.ge(v128.load(at), spread));
    second = i32x4.sub(second, f32x4.ge(v128.load(at, 16), spread));
  }
  first = i32x4.add(first, second);
  let sum = <u32>(
    i32x4.extract_lane(first, 0) + i32x4.extract_lane(first, 1) + i32x4.extract_lane(first, 2) + i32x4.extract_lane(first, 3)
  );
  for (; at < end; at += 4) sum += u32(load<f32>(at) >= least);
  return sum;
}

/** The largest positive value; 0 when there is none. NaN is no value. */
function largestOf(values: usize, count: u32): f32 {
  let four = f32x4.splat(0);
  const end = values + (<usize>count << 2);
  let at = values;
  for (; at + 16 <= end; at += 16) four = f32x4.pmax(four, v128.load(at));
  const two = f32x4.pmax(four, v128.shuffle<f32>(four, four, 2, 3, 0, 1));
  let largest = max(f32x4.extract_lane(two, 0), f32x4.extract_lane(two, 1));
  for (; at < end; at += 4) {
    const value = load<f32>(at);
    if (value > largest) largest = value;
  }
  return largest;
}

/** Bits of the smallest positive float. */
const SMALLEST: u32 = 1;

/**
 * Writes to outIndex the places (ascending) of the k largest positive values; fewer when there are fewer. Returns how many.
 */
export function selectTop(values: usize, count: u32, k: u32, outIndex: usize): u32 {
  let above = reinterpret<u32>(largestOf(values, count)) + 1;
  if (k == 0 || above == SMALLEST) return 0;
  // At least k values are not below the threshold, fewer than k not below `above`, of which `surely` is the number.
  let threshold = SMALLEST;
  let surely: u32 = 0;
  let found = countOf(values, count, reinterpret<f32>(threshold));
  while (found > k && above - threshold > 1) {
    const middle = threshold + ((above - threshold) >> 1);
    const reached = countOf(values, count, reinterpret<f32>(middle));
    if (reached < k) {
      above = middle;
      surely = reached;
    } else {
      threshold = middle;
      found = reached;
    }
  }
  const least = reinterpret<f32>(threshold);
  let ties = found > k ? k - surely : u32.MAX_VALUE;
  const spread = f32x4.splat(least);
  let out = outIndex;
  for (let first: u32 = 0; first < count; first += 4) {
    const four = values + (<usize>first << 2);
    let mask: u32 = 0;
    if (first + 4 <= count) mask = <u32>i32x4.bitmask(f32x4.ge(v128.load(four), spread));
    else for (let n: u32 = 0; n < count - first; n++) mask |= u32(load<f32>(four + (<usize>n << 2)) >= least) << n;
    for (; mask != 0; mask &= mask - 1) {
      const n = ctz(mask);
      if (load<f32>(four + (<usize>n << 2)) == least) {
        if (ties == 0) continue;
        ties--;
      }
      store<u32>(out, first + n);
      out += 4;
    }
  }
  return <u32>((out - outIndex) >> 2);
}
