// Seeds by date, so that runs of different days try different ones.
const DAY_MS = 86_400_000;
const SEEDS_PER_DAY = 1_000_000;
/** So that every seed is a different number of 32 bits, which is what a seed is. */
const DAYS = 4000;

/** `day`: 2026-11-18, or `today` (UTC). */
export function firstSeedOf(day: string): number {
  const ms = day === 'today' ? Date.now() : Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(ms)) throw new Error(`${day} is no day. Use 2026-11-18, or today.`);
  return (Math.floor(ms / DAY_MS) % DAYS) * SEEDS_PER_DAY + 1;
}
