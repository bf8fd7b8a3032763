// Placements as this node serves them, with the experiment that runs on each: read from the store
// once, and again when the epoch that this node has followed has moved on. A change raises the epoch, and is acknowledged when every live node has followed it.
import { BoundedCache } from '../base/bounded-cache.ts';
import type { Experiment } from '../domain/experiment.ts';
import { placementNotFound } from '../domain/not-found.ts';
import type { Placement } from '../domain/placement.ts';
import type { PlacementName } from '../store/placement-store.ts';
import type { Store } from '../store/store.ts';

const CACHE_BYTES = 32 * 1024 * 1024;
/** Estimated bytes of a definition in memory per character of its JSON. */
const BYTES_PER_CHARACTER = 4;

export interface LivePlacement extends Placement {
  /** null if no experiment runs */
  readonly experiment: Experiment | null;
}

interface Kept {
  readonly placement: LivePlacement;
  readonly epoch: number;
}

type Stores = Pick<Store, 'placements' | 'experiments'>;

export class LivePlacements {
  readonly #stores: Stores;
  /** the epoch this node has followed */
  readonly #epoch: () => number;
  readonly #kept = new BoundedCache<string, Kept>({
    name: 'placements',
    maxBytes: CACHE_BYTES,
    bytesOf: ({ placement }) => JSON.stringify(placement).length * BYTES_PER_CHARACTER,
  });

  constructor(stores: Stores, epoch: () => number) {
    this.#stores = stores;
    this.#epoch = epoch;
  }

  /** Throws PLACEMENT_NOT_FOUND. Call it only when this node is fresh. */
  async get(name: PlacementName): Promise<LivePlacement> {
    const key = `${name.accountId}\n${name.projectId}\n${name.name}`;
    // Read before the row, so that the row may be newer than this epoch but never older.
    const epoch = this.#epoch();
    const kept = this.#kept.get(key);
    if (kept?.epoch === epoch) return kept.placement;
    const { placements, experiments } = this.#stores;
    const [stored, experiment] = await Promise.all([placements.get(name), experiments.running(name)]);
    if (stored === null) throw placementNotFound(name.projectId, name.name);
    const placement = { ...stored, experiment };
    this.#kept.set(key, { placement, epoch });
    return placement;
  }
}
