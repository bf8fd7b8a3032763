// Since when a user's events are as they are, on every node alike: the store's log of changed users (store/changed-users.ts),
// followed by this node. A kept ranking is good while its user is not named in a newer version than it was made from.
import { SharedLook } from '../cluster/shared-look.ts';
import { BoundedCache, textBytes } from '../domain/bounded-cache.ts';
import type { EventStore } from '../store/event-store.ts';

/** Of one dataset; beyond it, everybody counts as changed. */
const MAX_USERS = 200_000;
const CACHE_BYTES = 64 * 1024 * 1024;
/** Of a dataset, and of each of its users that changed. */
const DATASET_BYTES = 1000;
const USER_BYTES = 50;

export class UserChanges {
  readonly #events: EventStore;
  readonly #looks = new BoundedCache<string, SharedLook<DatasetChanges>>({
    name: 'user_changes',
    maxBytes: CACHE_BYTES,
    bytesOf: (_, datasetId) => textBytes(datasetId) + DATASET_BYTES,
  });

  constructor(events: EventStore) {
    this.#events = events;
  }

  /** Resolves when everything that was stored before the call is known. */
  follow(datasetId: string): Promise<DatasetChanges> {
    let look = this.#looks.get(datasetId);
    if (look === undefined) {
      const changes = new DatasetChanges();
      look = new SharedLook(async () => {
        const before = changes.size;
        await changes.follow(this.#events, datasetId);
        this.#looks.grow(datasetId, (changes.size - before) * USER_BYTES);
        return changes;
      });
      this.#looks.set(datasetId, look);
    }
    return look.take();
  }
}

export class DatasetChanges {
  /** every change of the versions (from, version] is known; −1: none yet */
  #from = -1;
  #version = -1;
  /** version of the last change, by the user's number */
  readonly #changed = new Map<number, number>();

  /** Users that are known to have changed. */
  get size(): number {
    return this.#changed.size;
  }

  /** The dataset's version at the last look. Read it before the events that a ranking is made from. */
  get version(): number {
    return this.#version;
  }

  /** Whether the user's events are the same as at that version. */
  isUnchanged(user: number, sinceVersion: number): boolean {
    return sinceVersion >= this.#from && (this.#changed.get(user) ?? 0) <= sinceVersion;
  }

  async follow(events: EventStore, datasetId: string): Promise<this> {
    const news = this.#version < 0 ? null : await events.changesSince(datasetId, this.#version);
    if (news === null || this.#changed.size + news.users.length > MAX_USERS) {
      this.#changed.clear();
      this.#version = news?.version ?? (await events.version(datasetId));
      this.#from = this.#version;
    } else {
      for (const user of news.users) this.#changed.set(user, news.version);
      this.#version = news.version;
    }
    return this;
  }
}
