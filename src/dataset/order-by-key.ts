// Sorts numbers by keys without an object or a call for each: as many users as a training has fit in typed arrays, not on the heap of
// JavaScript.

/** Bits that a pass sorts by. */
const DIGIT_BITS = 16;
const DIGITS = 2 ** DIGIT_BITS;

/** What is at each place when sorted by keys; of equal keys the smaller number first. `words`: of each key, the lowest first. */
export function orderByKey(words: readonly Uint32Array[]): Uint32Array {
  let order = new Uint32Array(words[0].length);
  for (let n = 0; n < order.length; n++) order[n] = n;
  let next = new Uint32Array(order.length);
  const starts = new Float64Array(DIGITS + 1);
  for (const word of words) {
    for (let shift = 0; shift < 32; shift += DIGIT_BITS) {
      starts.fill(0);
      for (let n = 0; n < word.length; n++) starts[((word[n] >>> shift) & (DIGITS - 1)) + 1]++;
      // All have the same digit.
      if (starts.includes(word.length)) continue;
      for (let digit = 0; digit < DIGITS; digit++) starts[digit + 1] += starts[digit];
      for (let place = 0; place < order.length; place++) {
        const n = order[place];
        next[starts[(word[n] >>> shift) & (DIGITS - 1)]++] = n;
      }
      [order, next] = [next, order];
    }
  }
  return order;
}
