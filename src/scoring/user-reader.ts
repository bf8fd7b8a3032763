// What a recommender makes of a user's signal: the history that scores, what the answer rests on, and which items were seen.
// Belongs to one thread; what it answers is overwritten by the next call.
import type { Catalog } from '../catalog/catalog.ts';
import type { ColdUsers } from '../cold-start/cold-users.ts';
import type { Basis } from '../cold-start/reason.ts';
import { HistoryFolder, type HistoryModel } from '../history/history-folder.ts';
import type { ScoringHistory, UserSignal } from '../history/user-signal.ts';

export interface UserState {
  readonly basis: Basis;
  readonly history: ScoringHistory;
  /** features of the user's attributes, when history is empty */
  readonly features: readonly number[];
}

export class UserReader {
  readonly #folder: HistoryFolder;
  readonly #catalog: Catalog;
  readonly #itemOfWarm: Uint32Array;
  readonly #coldUsers: ColdUsers | null;
  /** catalog numbers of the items the user read last had a target event with */
  readonly seen = new Set<number>();

  constructor(model: HistoryModel, catalog: Catalog, itemOfWarm: Uint32Array, coldUsers: ColdUsers | null) {
    this.#folder = new HistoryFolder(model);
    this.#catalog = catalog;
    this.#itemOfWarm = itemOfWarm;
    this.#coldUsers = coldUsers;
  }

  read(user: UserSignal): UserState {
    this.seen.clear();
    const history = this.#folder.fold(user.history, (itemId, index) => {
      const warm = index >= 0 && index < this.#itemOfWarm.length;
      const item = warm ? this.#itemOfWarm[index] : this.#catalog.indexOf(itemId);
      if (item >= 0) this.seen.add(item);
    });
    if (history.length > 0) return { basis: 'history', history, features: [] };
    const features = this.#coldUsers?.featuresOf(user.attributes) ?? [];
    return { basis: features.length > 0 ? 'attributes' : 'popularity', history, features };
  }

  memoryBytes(): number {
    return this.#folder.memoryBytes();
  }
}
