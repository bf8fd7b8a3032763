// Indices in the order of their values, by counting digits: a comparison sort of a million items would hold a serving thread up.
import type { Steps } from '../base/steps.ts';

const DIGIT_BITS = 11;
const DIGITS = 1 << DIGIT_BITS;

/** Largest value first, or smallest first; equal values by their index. Values are ≥ 0. */
export function* orderSteps(values: Float32Array, largestFirst: boolean): Steps<Uint32Array> {
  const floats = new Float32Array(values.length);
  const keys = new Uint32Array(floats.buffer);
  let order = new Uint32Array(keys.length);
  let next = new Uint32Array(keys.length);
  for (let n = 0; n < keys.length; n++) {
    // The bits of floats ≥ 0 rise with them; adding 0 makes −0 one of them.
    floats[n] = values[n] + 0;
    if (largestFirst) keys[n] = ~keys[n];
    order[n] = n;
  }
  for (let shift = 0; shift < 32; shift += DIGIT_BITS) {
    const ends = new Uint32Array(DIGITS + 1);
    for (let n = 0; n < keys.length; n++) ends[((keys[n] >>> shift) & (DIGITS - 1)) + 1]++;
    for (let digit = 0; digit < DIGITS; digit++) ends[digit + 1] += ends[digit];
    for (let n = 0; n < order.length; n++) next[ends[(keys[order[n]] >>> shift) & (DIGITS - 1)]++] = order[n];
    [order, next] = [next, order];
    yield;
  }
  return order;
}
