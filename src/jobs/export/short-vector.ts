// A vector as an exported line has it: of each number the fewest decimals that are still the same 32-bit float.

/** Starts at seven decimals: most numbers of a vector of length 1 need eight or nine. */
const FIRST = 1e7;
/** A number that needs more decimals than this is written unchanged. */
const LAST = 1e12;

export function shortVector(values: Float32Array): number[] {
  const short = new Array<number>(values.length);
  for (let n = 0; n < values.length; n++) short[n] = shortFloat(values[n]);
  return short;
}

/** `value` must be a 32-bit float. */
function shortFloat(value: number): number {
  for (let power = FIRST; power <= LAST; power *= 10) {
    const short = Math.round(value * power) / power;
    if (Math.fround(short) === value) return short;
  }
  return value;
}
