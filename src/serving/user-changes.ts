// Since when a user's events are as they are, on every node alike: the store's log of changed users (store/changed-users.ts),
// followed by this node. A kept ranking is good while its user is not named in a newer version than it was made from.
import { LRUCache } from 'lru-cache';
import { SharedLook } from '../cluster/shared-look.ts';
import type { EventStore } from '../store/event-store.ts';

/** Of one dataset; beyond it, everybody counts as changed. */
const MAX_USERS = 200_000;
const MAX_DATASETS = 1000;

export class UserChanges {
  readonly #events: EventStore;
  readonly #looks = new LRUCache<string, SharedLook<DatasetChanges>>({ max: MAX_DATASETS });

  constructor(events: EventStore) {
    this.#events = events;
  }

  /** Resolves when everything that was stored before the call is known. */
  follow(datasetId: string): Promise<DatasetChanges> {
    let look = this.#looks.get(datasetId);
    if (look === undefined) {
      const changes = new DatasetChanges();
      look = new SharedLook(() => changes.follow(this.#events, datasetId));
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
