// Prepares a user's data for scoring: the history, the basis of the list, the terms that join the score, and the items seen.
// Belongs to one thread; what it returns is overwritten by the next call.
import type { ItemIds } from '../artifact/g1-model.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Attributes } from '../domain/record.ts';
import { dislikesOf } from '../history/dislikes.ts';
import type { EventRun } from '../history/fold-events.ts';
import { HistoryFolder, type HistoryModel, type StoredNames } from '../history/history-folder.ts';
import type { ScoringHistory, UserSignal } from '../history/user-signal.ts';
import type { ScoreTerms } from './score-terms.ts';
import type { UserState } from './user-state.ts';

export class UserReader {
  readonly #folder: HistoryFolder;
  readonly #model: HistoryModel;
  readonly #catalog: Catalog;
  readonly #itemIds: ItemIds;
  readonly #itemOfWarm: Uint32Array;
  readonly #historyCap: number;
  readonly #terms: ScoreTerms;

  constructor(model: HistoryModel, catalog: Catalog, itemOfWarm: Uint32Array, terms: ScoreTerms) {
    this.#folder = new HistoryFolder(model);
    this.#model = model;
    this.#catalog = catalog;
    this.#itemIds = model.itemIds;
    this.#itemOfWarm = itemOfWarm;
    this.#historyCap = model.historyCap;
    this.#terms = terms;
  }

  read(user: UserSignal): UserState {
    return this.#stateOf(this.#folder.fold(user.history, user.nowMs), user, this.#dislikedBy(user));
  }

  /**
   * Does the same for events in columns with the store's numbers. At least one must count, and none may be a dislike.
   */
  readStored(
    run: EventRun,
    { names, nowMs }: { readonly names: StoredNames; readonly nowMs: number },
    attributes: Attributes,
  ): UserState {
    return this.#stateOf(this.#folder.foldStored(run, names, nowMs), { attributes }, null);
  }

  #stateOf(
    history: ScoringHistory,
    user: Pick<UserSignal, 'attributes' | 'context'>,
    disliked: ScoringHistory | null,
  ): UserState {
    const lifts = this.#terms.liftTerms(user, history.length);
    if (history.length > 0) return { basis: 'history', history, lifts, disliked };
    const hasAttributes = lifts.some(({ kind }) => kind === 'user-attribute');
    return { basis: hasAttributes ? 'attributes' : 'popularity', history, lifts, disliked };
  }

  /** Catalog numbers of the items that the user had a target event with. */
  seenBy({ history }: UserSignal): Set<number> {
    const seen = new Set<number>();
    for (const event of history) {
      if (event.event_type !== this.#model.targetEventType) continue;
      const index = this.#folder.indexOf(event);
      const isWarm = index >= 0 && index < this.#itemOfWarm.length;
      const item = isWarm ? this.#itemOfWarm[index] : this.#catalog.indexOf(event.item_id);
      if (item >= 0) seen.add(item);
    }
    return seen;
  }

  memoryBytes(): number {
    return this.#folder.memoryBytes();
  }

  #dislikedBy({ history }: UserSignal): ScoringHistory | null {
    const items = dislikesOf(history)
      .map(({ item_id }) => this.#itemIds.indexOf(item_id))
      .filter((item) => item >= 0 && item < this.#itemOfWarm.length)
      .slice(0, this.#historyCap);
    if (items.length === 0) return null;
    return {
      length: items.length,
      items: Uint32Array.from(items),
      weights: new Float32Array(items.length).fill(1),
      seen: new Uint8Array(items.length).fill(1),
    };
  }
}
