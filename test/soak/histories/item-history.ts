// Which items are deleted, as far as callers were told: no list that is asked for after that shows one, until it is written again.
// No fault excuses it: a node that cannot see the items gives an error, not an old list.
import type { TimedResponse } from '../calls.ts';
import type { Ledger } from '../ledger.ts';

export class ItemHistory {
  readonly #ledger: Ledger;
  /** item → when its deletion was acknowledged */
  readonly #gone = new Map<string, number>();
  /** lists that were asked for while items were deleted, and lists that showed an item which had been */
  readonly counts = { listsWithoutDeleted: 0, shownAgain: 0 };
  readonly #back = new Set<string>();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  deleted(itemId: string): void {
    this.#gone.set(itemId, performance.now());
    this.#back.delete(itemId);
  }

  /** A call that writes it begins: from now on it may be there. */
  writes(itemId: string): void {
    this.#gone.delete(itemId);
    this.#back.add(itemId);
  }

  shown(itemIds: readonly string[], { calledMs, place }: Pick<TimedResponse, 'calledMs' | 'place'>): void {
    for (const id of itemIds) {
      if ((this.#gone.get(id) ?? Number.POSITIVE_INFINITY) <= calledMs)
        this.#ledger.complain(`a list of ${place.name} shows item ${id}, which was deleted before the call`);
      if (this.#back.has(id)) this.counts.shownAgain++;
    }
    if ([...this.#gone.values()].some((goneMs) => goneMs <= calledMs)) this.counts.listsWithoutDeleted++;
  }
}
