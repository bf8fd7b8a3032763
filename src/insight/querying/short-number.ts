// Usages as results contain them.

/** Seven digits are what a 32-bit float carries. */
export function shortNumber(value: number): number {
  return Number(value.toPrecision(7));
}
