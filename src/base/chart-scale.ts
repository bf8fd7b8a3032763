// Linear scales and round ticks for the charts of results and of the console.

export interface Scale {
  (value: number): number;
  invert: (position: number) => number;
}

export function linearScale([low, high]: [number, number], [from, to]: [number, number]): Scale {
  const span = high - low || 1;
  const scale = (value: number) => from + ((value - low) / span) * (to - from);
  return Object.assign(scale, { invert: (position: number) => low + ((position - from) / (to - from || 1)) * span });
}

export interface TickOptions {
  /** Allows only whole ticks, for counts. */
  wholeNumbers?: boolean;
}

/** Multiples of 1, 2, 2.5 or 5 times a power of ten from low to high, at most `count` + 1 of them. */
export function niceTicks(low: number, high: number, count: number, options: TickOptions = {}): number[] {
  if (!(high > low) || !Number.isFinite(high - low)) return [low];
  const step = niceStep((high - low) / Math.max(1, count), options);
  const ticks: number[] = [];
  for (let index = Math.ceil(low / step - 1e-9); index * step <= high + step * 1e-9; index++) {
    ticks.push(rounded(index * step));
  }
  return ticks;
}

/** The smallest round end of an axis from 0 that is ≥ max, with its ticks. */
export function niceAxis(max: number, count: number, options: TickOptions = {}): { end: number; ticks: number[] } {
  if (!(max > 0)) return { end: 1, ticks: [0, 1] };
  const ticks = niceTicks(0, max, count, options);
  const last = ticks[ticks.length - 1];
  if (last >= max * (1 - 1e-9)) return { end: last, ticks };
  const end = rounded(last + (ticks.length > 1 ? ticks[1] : max));
  return { end, ticks: [...ticks, end] };
}

/** The smallest round step that is not below the least one. */
function niceStep(least: number, { wholeNumbers = false }: TickOptions): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const step =
    [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((factor) => factor >= least * (1 - 1e-9)) ?? least;
  return wholeNumbers ? Math.max(1, Math.ceil(step)) : step;
}

/** Removes floating-point noise. */
const rounded = (value: number): number => Number(value.toPrecision(12));
