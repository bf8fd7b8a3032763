/** Place of the first number that is not smaller, of ascending ones. */
export function firstAtLeast(numbers: Uint32Array, least: number): number {
  let [from, to] = [0, numbers.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (numbers[middle] < least) from = middle + 1;
    else to = middle;
  }
  return from;
}
