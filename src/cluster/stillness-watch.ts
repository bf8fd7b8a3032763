// Finds holders and nodes that are gone. The observer's own monotonic clock times how long a heartbeat counter stood still, so
// clocks of other machines, and steps of this one's, play no part. A watch that has just begun knows of nothing dead: what is
// lost is found one lease time after the first look at the latest.

export class StillnessWatch<T> {
  readonly #limitMs: number;
  readonly #keyOf: (entry: T) => string;
  readonly #beatOf: (entry: T) => string | number;
  #seen = new Map<string, { beat: string | number; sinceMs: number }>();

  constructor(limitMs: number, keyOf: (entry: T) => string, beatOf: (entry: T) => string | number) {
    this.#limitMs = limitMs;
    this.#keyOf = keyOf;
    this.#beatOf = beatOf;
  }

  /** Takes note of all entries there are; answers those whose heart has not beaten for the limit. */
  observe(entries: readonly T[], monotonicMs: number): T[] {
    const seen = new Map<string, { beat: string | number; sinceMs: number }>();
    const still: T[] = [];
    for (const entry of entries) {
      const beat = this.#beatOf(entry);
      const before = this.#seen.get(this.#keyOf(entry));
      const sighting = before?.beat === beat ? before : { beat, sinceMs: monotonicMs };
      seen.set(this.#keyOf(entry), sighting);
      if (monotonicMs - sighting.sinceMs >= this.#limitMs) still.push(entry);
    }
    this.#seen = seen;
    return still;
  }
}
