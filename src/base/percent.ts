// Shares as percentages: in charts, messages and the console.

/** A share as a percentage with about three digits: 0.1234 as 12.3%, 0.00056 as 0.056%. */
export function percent(share: number): string {
  const value = share * 100;
  if (value === 0) return '0%';
  if (value < 1e-6) return '< 0.000001%';
  const decimals = value >= 99.95 ? 0 : Math.max(0, Math.min(8, 2 - Math.floor(Math.log10(value))));
  const digits = value.toFixed(decimals);
  return `${digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits}%`;
}

/** Labels of one axis: percentages with as many decimals as the smallest needs, the same for all. */
export function evenPercents(shares: readonly number[]): string[] {
  const values = shares.map((share) => share * 100);
  const smallest = Math.min(...values.filter((value) => value > 0), 100);
  let decimals = Math.max(0, Math.min(8, 2 - Math.floor(Math.log10(smallest))));
  const same = (fewer: number) =>
    values.every((value) => Number(value.toFixed(fewer)) === Number(value.toFixed(decimals)));
  while (decimals > 0 && same(decimals - 1)) decimals--;
  return values.map((value) => (value === 0 ? '0%' : `${value.toFixed(decimals)}%`));
}
