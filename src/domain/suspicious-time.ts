// Detects unlikely event times. Seconds sent as milliseconds fall in January 1970, microseconds far in the future.
import { DAY_MS } from '../base/durations.ts';

const YEAR_2000_MS = Date.UTC(2000, 0, 1);

/** `seconds`: before 2000, and likely if it were in seconds. */
export type TimeFault = 'seconds' | 'before_2000' | 'future';

export function timeFault(ts: number, nowMs: number): TimeFault | null {
  if (ts < YEAR_2000_MS) return ts * 1000 >= YEAR_2000_MS && ts * 1000 <= nowMs + DAY_MS ? 'seconds' : 'before_2000';
  return ts <= nowMs + DAY_MS ? null : 'future';
}

/** A warning with the likely mistake, or null. */
export function suspiciousTime(ts: number, nowMs: number): string | null {
  const fault = timeFault(ts, nowMs);
  if (fault === null) return null;
  if (fault === 'future') {
    return 'ts is more than a day in the future. It must be in milliseconds. Was it sent in a smaller unit?';
  }
  return 'ts is before the year 2000. It must be in milliseconds. Was it sent in seconds?';
}
