// Tracks when each user's events last changed, equally on every node: each follows the store's log of changed users
// (store/sql/changed-users.ts). A cached ranking is valid while no version newer than its own names its user.

import { BoundedCache, textBytes } from '../base/bounded-cache.ts';
import { SharedLook } from '../cluster/shared-look.ts';
import type { EventStore, UserNews } from '../store/event-store.ts';

/** Most users tracked per dataset. Beyond that, every user counts as changed. */
const MAX_USERS = 200_000;
const CACHE_BYTES = 64 * 1024 * 1024;
/** Estimated bytes per dataset, and per changed user of it. */
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

  /** Resolves when everything that was stored before the call is known. Returns without a promise if the store need not wait. */
  follow(datasetId: string): DatasetChanges | Promise<DatasetChanges> {
    let look = this.#looks.get(datasetId);
    if (look === undefined) {
      const onGrowth = (users: number) => this.#looks.grow(datasetId, users * USER_BYTES);
      const changes = new DatasetChanges(this.#events, datasetId, onGrowth);
      look = new SharedLook(() => changes.follow());
      this.#looks.set(datasetId, look);
    }
    return look.take();
  }
}

class DatasetChanges {
  /** every change of the versions (from, version] is known; −1 if none yet */
  #from = -1;
  #version = -1;
  /** version of the last change, by the user's number */
  readonly #changed = new Map<number, number>();
  readonly #events: EventStore;
  readonly #datasetId: string;
  readonly #onGrowth: (users: number) => void;

  /** `onGrowth` receives the change in the number of tracked users, negative if there are fewer. */
  constructor(events: EventStore, datasetId: string, onGrowth: (users: number) => void) {
    this.#events = events;
    this.#datasetId = datasetId;
    this.#onGrowth = onGrowth;
  }

  /** The dataset's version at the last look. Read it before the events of a ranking. */
  get version(): number {
    return this.#version;
  }

  /** Whether the user's events have not changed since that version. */
  isUnchanged(user: number, sinceVersion: number): boolean {
    return sinceVersion >= this.#from && (this.#changed.get(user) ?? 0) <= sinceVersion;
  }

  follow(): this | Promise<this> {
    const news = this.#version < 0 ? null : this.#events.changesSince(this.#datasetId, this.#version);
    const isCurrent = !(news instanceof Promise) && news?.version === this.#version;
    return isCurrent ? this : this.#catchUp(news);
  }

  async #catchUp(news: UserNews | Promise<UserNews>): Promise<this> {
    const before = this.#changed.size;
    const changes = await news;
    if (changes === null || before + changes.users.length > MAX_USERS) {
      this.#version = changes?.version ?? (await this.#events.version(this.#datasetId));
      this.#from = this.#version;
      this.#changed.clear();
    } else {
      for (const user of changes.users) this.#changed.set(user, changes.version);
      this.#version = changes.version;
    }
    this.#onGrowth(this.#changed.size - before);
    return this;
  }
}
