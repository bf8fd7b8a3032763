// Detects unlikely event times. Seconds sent as milliseconds fall in January 1970, microseconds far in the future.

const YEAR_2000_MS = Date.UTC(2000, 0, 1);
const DAY_MS = 86_400_000;

/** A warning with the likely mistake, or null. */
export function suspiciousTime(ts: number, nowMs: number): string | null {
  if (ts < YEAR_2000_MS) return 'ts is before the year 2000. It must be in milliseconds. Was it sent in seconds?';
  if (ts <= nowMs + DAY_MS) return null;
  return 'ts is more than a day in the future. It must be in milliseconds. Was it sent in a smaller unit?';
}
