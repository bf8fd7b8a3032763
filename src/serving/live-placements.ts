// Placements as this node serves them: read from the store once, and again when the epoch that this node has followed has moved
// on. A change raises the epoch, and is acknowledged when every live node has followed it.
import { BoundedCache } from '../domain/bounded-cache.ts';
import { placementNotFound } from '../domain/not-found.ts';
import type { Placement } from '../domain/placement.ts';
import type { PlacementName, PlacementStore } from '../store/placement-store.ts';

const CACHE_BYTES = 32 * 1024 * 1024;
/** Of a definition in memory, for each byte of its JSON. */
const BYTES_PER_CHARACTER = 4;

interface Kept {
  readonly placement: Placement;
  readonly epoch: number;
}

export class LivePlacements {
  readonly #store: PlacementStore;
  /** the epoch this node has followed */
  readonly #epoch: () => number;
  readonly #kept = new BoundedCache<string, Kept>({
    name: 'placements',
    maxBytes: CACHE_BYTES,
    bytesOf: ({ placement }) => JSON.stringify(placement).length * BYTES_PER_CHARACTER,
  });

  constructor(store: PlacementStore, epoch: () => number) {
    this.#store = store;
    this.#epoch = epoch;
  }

  /** Throws PLACEMENT_NOT_FOUND. Call it when this node is known to be fresh. */
  async get(name: PlacementName): Promise<Placement> {
    const key = `${name.accountId}\n${name.projectId}\n${name.name}`;
    // Before the row is read: it may be newer than this epoch, never older.
    const epoch = this.#epoch();
    const kept = this.#kept.get(key);
    if (kept?.epoch === epoch) return kept.placement;
    const placement = await this.#store.get(name);
    if (placement === null) throw placementNotFound(name.projectId, name.name);
    this.#kept.set(key, { placement, epoch });
    return placement;
  }
}
