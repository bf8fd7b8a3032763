// Round numbers for an axis from 0.

/** Steps of 1, 2, 2.5 or 5 times a power of ten from 0 up to `max` (the last tick is ≤ max), at most `count` + 1 of them. */
export function niceTicks(max: number, count: number, wholeNumbers = false): number[] {
  if (!(max > 0) || !Number.isFinite(max)) return [0];
  const power = 10 ** Math.floor(Math.log10(max / count));
  let step = power * 10;
  for (const factor of [1, 2, 2.5, 5]) {
    if (max / (factor * power) <= count + 1e-9) {
      step = factor * power;
      break;
    }
  }
  if (wholeNumbers) step = Math.max(1, Math.ceil(step));
  const ticks: number[] = [];
  for (let tick = 0; tick * step <= max * (1 + 1e-9); tick++) ticks.push(Number((tick * step).toPrecision(12)));
  return ticks;
}

/** The smallest nice axis end that is ≥ max, with its ticks. */
export function niceAxis(max: number, count: number, wholeNumbers = false): { end: number; ticks: number[] } {
  if (!(max > 0)) return { end: 1, ticks: [0, 1] };
  const ticks = niceTicks(max, count, wholeNumbers);
  const step = ticks.length > 1 ? ticks[1] : max;
  const last = ticks[ticks.length - 1];
  if (last >= max * (1 - 1e-9)) return { end: last, ticks };
  const end = Number((last + step).toPrecision(12));
  return { end, ticks: [...ticks, end] };
}
