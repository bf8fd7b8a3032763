// Cached rankings. A ranking follows from the models that serve, the catalog, the request and the user's events.
// The key names all of them but the events, whose version the entry carries; all are looked up in the store at every call, so
// a cached ranking is never older than the data: it saves the work, not the look. The same on every database.
import { BoundedCache, textBytes } from '../base/bounded-cache.ts';
import type { UsedObjective } from '../domain/objective.ts';
import type { Relation } from '../domain/relation.ts';
import type { SkippedPin } from '../placements/pins.ts';

/** Most items of a cached ranking. Longer ones are computed each time. */
const MAX_KEPT_ITEMS = 100;
/** How long a ranking is cached: effects of the time of day or of the age of events are late by at most this. */
const MAX_AGE_MS = 60_000;
/** Estimated bytes of a ranking besides its items. */
const RANKING_BYTES = 200;
/** Estimated bytes of a skipped pin: the longest id, at two bytes per character. */
const SKIPPED_BYTES = 600;

export interface Ranking {
  /** the objective of the list; null if it has none */
  readonly objective: UsedObjective | null;
  /** the relation of the list; null if it has none */
  readonly relation: Relation | null;
  /** catalog numbers of the best items */
  readonly items: Uint32Array;
  /** FILLED, PINNED or 0 for each item; null if all are 0 */
  readonly marks: Uint8Array | null;
  readonly skippedPins: readonly SkippedPin[];
  /** whether there is a filter that no listed item meets */
  readonly meetsNone: boolean;
}

/** Mark of an item that does not meet the objective and only fills the list. */
export const FILLED = 1;
export const PINNED = 2;

export interface KeptRanking extends Ranking {
  /** the requested number of items; a shorter list is the beginning of this one */
  readonly limit: number;
  /** number of the user, and the version of the event dataset that the ranking was made from */
  readonly user: number;
  readonly version: number;
  readonly madeMs: number;
}

export class RankingCache {
  readonly #rankings: BoundedCache<string, KeptRanking>;

  constructor(budgetBytes: number) {
    this.#rankings = new BoundedCache({
      name: 'rankings',
      maxBytes: budgetBytes,
      bytesOf: ({ items, marks, skippedPins }, key) =>
        RANKING_BYTES +
        textBytes(key) +
        items.byteLength +
        (marks?.byteLength ?? 0) +
        skippedPins.length * SKIPPED_BYTES,
    });
  }

  get size(): number {
    return this.#rankings.size;
  }

  get bytes(): number {
    return this.#rankings.bytes;
  }

  find(key: string, limit: number, nowMs: number): KeptRanking | undefined {
    const kept = this.#rankings.get(key);
    // If the clock was set back, the ranking counts as too old as well.
    return kept && kept.limit >= limit && Math.abs(nowMs - kept.madeMs) < MAX_AGE_MS ? kept : undefined;
  }

  keep(key: string, ranking: KeptRanking): void {
    if (ranking.limit <= MAX_KEPT_ITEMS) this.#rankings.set(key, ranking);
  }
}
