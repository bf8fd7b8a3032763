// Notices catalogs that hold more deleted items than stored ones, and has them replaced, one at a time. An item keeps its number while
// a catalog lives, so only a new catalog frees the memory of deleted ones.
import type { CatalogFollower } from './catalog-follower.ts';

export interface WornCatalogsParts {
  /** up to twice as many deleted items are kept in any catalog; null: no catalog is replaced */
  readonly leastDeleted: number | null;
  /** Throws soon after the signal is aborted. */
  replace(worn: CatalogFollower, signal: AbortSignal): Promise<void>;
  onError(error: unknown): void;
}

interface Deleted {
  /** items with a number, and with room in every column, that a new catalog would not have */
  readonly items: number;
  /** ids alone */
  readonly ids: number;
}

export class WornCatalogs {
  readonly #parts: WornCatalogsParts;
  /** What was deleted when the catalog was loaded, or could not be replaced. */
  readonly #before = new WeakMap<CatalogFollower, Deleted>();
  readonly #queued = new Set<CatalogFollower>();
  readonly #stop = new AbortController();
  #last: Promise<void> = Promise.resolve();

  constructor(parts: WornCatalogsParts) {
    this.#parts = parts;
  }

  /** Call it after each change of a catalog. */
  changed(follower: CatalogFollower): void {
    const { replace, onError } = this.#parts;
    const { signal } = this.#stop;
    if (!this.#before.has(follower)) this.#note(follower);
    if (signal.aborted || this.#queued.has(follower) || !this.#isWorn(follower)) return;
    this.#queued.add(follower);
    this.#last = this.#last
      .then(() => replace(follower, signal))
      .catch((error) => {
        if (signal.aborted) return;
        // It is tried again when twice as much is deleted.
        this.#note(follower);
        onError(error);
      })
      .finally(() => this.#queued.delete(follower));
  }

  /** Replaces no more catalogs. Resolves when none is being replaced. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#last;
  }

  /** Resolves when no catalog is being replaced. */
  async settled(): Promise<void> {
    await this.#last;
  }

  #note(follower: CatalogFollower): void {
    this.#before.set(follower, deletedOf(follower));
  }

  #isWorn(follower: CatalogFollower): boolean {
    const { leastDeleted } = this.#parts;
    const before = this.#before.get(follower);
    if (leastDeleted === null || before === undefined) return false;
    const { items, ids } = deletedOf(follower);
    const stored = follower.catalog.stored().count;
    return items > 2 * Math.max(leastDeleted, before.items, stored) || ids > 2 * Math.max(leastDeleted, before.ids);
  }
}

function deletedOf({ catalog }: CatalogFollower): Deleted {
  return { items: catalog.deletedHereCount, ids: catalog.deletedIdCount };
}
