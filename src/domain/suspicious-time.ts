// Is a time one that an event can hardly have? Seconds sent as milliseconds lie in January 1970, microseconds far ahead.

const YEAR_2000_MS = Date.UTC(2000, 0, 1);
const DAY_MS = 86_400_000;

/** What is odd about the time and what may be wrong, or null. */
export function suspiciousTime(ts: number, nowMs: number): string | null {
  if (ts < YEAR_2000_MS) return 'ts is before the year 2000. It must be in milliseconds: was it sent in seconds?';
  if (ts <= nowMs + DAY_MS) return null;
  return 'ts is more than a day ahead of the clock. It must be in milliseconds: was it sent in a smaller unit?';
}
