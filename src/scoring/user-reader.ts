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
  /** seen items that are no part of the history: cold ones, those with no positive value, those beyond the cap */
  readonly seenElsewhere: number;
}

export class UserReader {
  readonly #folder: HistoryFolder;
  readonly #catalog: Catalog;
  readonly #itemOfWarm: Uint32Array;
  readonly #coldUsers: ColdUsers | null;
  /** an item is seen by the present user where its turn is the present one */
  #seenTurn = new Uint32Array(0);
  #turn = 0;
  /** how many items the present user has seen */
  seenCount = 0;

  constructor(model: HistoryModel, catalog: Catalog, itemOfWarm: Uint32Array, coldUsers: ColdUsers | null) {
    this.#folder = new HistoryFolder(model);
    this.#catalog = catalog;
    this.#itemOfWarm = itemOfWarm;
    this.#coldUsers = coldUsers;
  }

  read(user: UserSignal): UserState {
    this.#nextTurn();
    const history = this.#folder.fold(user.history, (itemId, index) => {
      const warm = index >= 0 && index < this.#itemOfWarm.length;
      const item = warm ? this.#itemOfWarm[index] : this.#catalog.indexOf(itemId);
      if (item < 0 || this.#seenTurn[item] === this.#turn) return;
      this.#seenTurn[item] = this.#turn;
      this.seenCount++;
    });
    let seenElsewhere = this.seenCount;
    for (let n = 0; n < history.length; n++) seenElsewhere -= history.seen[n];
    if (history.length > 0) return { basis: 'history', history, features: [], seenElsewhere };
    const features = this.#coldUsers?.featuresOf(user.attributes) ?? [];
    return { basis: features.length > 0 ? 'attributes' : 'popularity', history, features, seenElsewhere };
  }

  /** Whether the user read last has seen the item of that catalog number. */
  isSeen(item: number): boolean {
    return this.#seenTurn[item] === this.#turn;
  }

  memoryBytes(): number {
    return this.#folder.memoryBytes() + this.#seenTurn.byteLength;
  }

  #nextTurn(): void {
    const { itemCount } = this.#catalog;
    if (this.#seenTurn.length < itemCount) this.#seenTurn = new Uint32Array(itemCount + (itemCount >>> 3));
    if (++this.#turn === 0xffff_ffff) {
      this.#seenTurn.fill(0);
      this.#turn = 1;
    }
    this.seenCount = 0;
  }
}
