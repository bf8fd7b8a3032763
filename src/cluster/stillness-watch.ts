// Finds holders and nodes that are lost. The observer's own monotonic clock measures how long a heartbeat counter has not
// changed, so clocks of other machines and jumps of this one do not matter. A new watch knows nothing yet: it finds what is
// lost at most one lease time after its first read.

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

  /** Records all current entries and returns those without a heartbeat for the limit. */
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
