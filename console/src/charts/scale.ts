// Straight scales and round ticks for charts.

export interface Scale {
  (value: number): number;
  invert: (position: number) => number;
}

export function linearScale([low, high]: [number, number], [from, to]: [number, number]): Scale {
  const span = high - low || 1;
  const scale = (value: number) => from + ((value - low) / span) * (to - from);
  return Object.assign(scale, { invert: (position: number) => low + ((position - from) / (to - from || 1)) * span });
}

/** About `count` round values from low to high. */
export function ticks(low: number, high: number, count: number): number[] {
  if (!(high > low)) return [low];
  const raw = (high - low) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= raw) ?? raw;
  const values: number[] = [];
  for (let index = Math.ceil(low / step - 1e-9); index * step <= high + step * 1e-9; index++) {
    values.push(Number((index * step).toPrecision(12)));
  }
  return values;
}
