// Sorts numbers by keys without an object or a call for each: as many users as a training has fit in typed arrays, not on the heap of
// JavaScript.

/** Number of bits sorted per pass. */
const DIGIT_BITS = 16;
const DIGITS = 2 ** DIGIT_BITS;

/**
 * Sorts by keys and returns which index is at each position; equal keys are ordered by index. `words`: the words of all
 * keys, the lowest first.
 */
export function orderByKey(words: readonly Uint32Array[]): Uint32Array {
  let order = new Uint32Array(words[0].length);
  for (let n = 0; n < order.length; n++) order[n] = n;
  let next = new Uint32Array(order.length);
  const starts = new Float64Array(DIGITS + 1);
  for (const word of words) {
    for (let shift = 0; shift < 32; shift += DIGIT_BITS) {
      starts.fill(0);
      for (let n = 0; n < word.length; n++) starts[((word[n] >>> shift) & (DIGITS - 1)) + 1]++;
      // All keys have the same digit.
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
