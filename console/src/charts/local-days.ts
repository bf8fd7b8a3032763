// The days of the browser's time zone within a run of hours.
import { HOUR_MS } from '../../../src/base/durations.ts';

export interface LocalDay {
  /** index of its first hour */
  from: number;
  /** index after its last hour */
  to: number;
}

/** Days of 23 to 25 hours. The first and the last may be cut by the run. */
export function localDays(fromMs: number, hours: number): LocalDay[] {
  const dateOf = (hour: number) => new Date(fromMs + hour * HOUR_MS).getDate();
  const starts = Array.from({ length: hours }, (_, hour) => hour).filter(
    (hour) => hour === 0 || dateOf(hour) !== dateOf(hour - 1),
  );
  return starts.map((from, n) => ({ from, to: starts[n + 1] ?? hours }));
}
