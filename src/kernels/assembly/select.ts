// Selection of the k largest positive values of a list, in linear time: the bits of positive floats order as integers, so
// three rounds of counting (11 + 11 + 10 bits) find the k-th largest. Among values equal to it the first ones win.

const BUCKETS: usize = 2048;

/** Bytes of scratch that `thresholdOf` needs. */
export const SELECT_SCRATCH_BYTES: usize = BUCKETS * 4;

// NaN, negative values and zero count as 0: they are never selected.
// @ts-ignore: decorator
@inline
export function keyOf(value: f32): u32 {
  return value > 0 ? reinterpret<u32>(value) : 0;
}

/**
 * The k-th largest key of values[0 … count) (k ≥ 1, at least k positive values exist).
 * Answers it in the low 32 bits and how many keys equal to it belong to the selection in the high 32 bits.
 */
export function thresholdOf(values: usize, count: u32, k: u32, scratch: usize): u64 {
  let prefix: u32 = 0;
  let mask: u32 = 0;
  let wanted = k;
  let shift: u32 = 21;
  let width: u32 = 11;
  for (let round = 0; round < 3; round++) {
    memory.fill(scratch, 0, SELECT_SCRATCH_BYTES);
    const digitMask: u32 = (1 << width) - 1;
    for (let n: u32 = 0; n < count; n++) {
      const key = keyOf(load<f32>(values + (<usize>n << 2)));
      if (key != 0 && (key & mask) == prefix) {
        const slot = scratch + (<usize>((key >> shift) & digitMask) << 2);
        store<u32>(slot, load<u32>(slot) + 1);
      }
    }
    let digit: u32 = digitMask;
    for (;;) {
      const inBucket = load<u32>(scratch + (<usize>digit << 2));
      if (inBucket >= wanted) break;
      wanted -= inBucket;
      if (digit == 0) break;
      digit--;
    }
    prefix |= digit << shift;
    mask |= digitMask << shift;
    if (round == 0) {
      shift = 10;
      width = 11;
    } else {
      shift = 0;
      width = 10;
    }
  }
  return (<u64>wanted << 32) | <u64>prefix;
}

/**
 * Writes to outIndex the places (ascending) of the k largest positive values; fewer when there are fewer. Answers how many.
 */
export function selectTop(values: usize, count: u32, k: u32, outIndex: usize, scratch: usize): u32 {
  let positive: u32 = 0;
  for (let n: u32 = 0; n < count; n++) positive += u32(load<f32>(values + (<usize>n << 2)) > 0);
  if (k == 0 || positive == 0) return 0;
  let threshold: u32 = 1;
  let ties: u32 = 0xffffffff;
  if (positive > k) {
    const found = thresholdOf(values, count, k, scratch);
    threshold = <u32>found;
    ties = <u32>(found >> 32);
  }
  let out: u32 = 0;
  for (let n: u32 = 0; n < count; n++) {
    const key = keyOf(load<f32>(values + (<usize>n << 2)));
    if (key < threshold || key == 0) continue;
    if (key == threshold) {
      if (ties == 0) continue;
      ties--;
    }
    store<u32>(outIndex + (<usize>out << 2), n);
    out++;
  }
  return out;
}
