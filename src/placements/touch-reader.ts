// A user's touches by catalog number, for one model over one catalog. Belongs to one thread.
import type { Catalog } from '../catalog/catalog.ts';
import { StoredNumbers } from '../catalog/stored-numbers.ts';
import type { ObjectiveRules } from '../history/objective-rules.ts';
import { type Touch, touchesOf } from '../history/touches.ts';
import type { SignalEvent } from '../history/user-signal.ts';

export interface TouchQuestion {
  readonly nowMs: number;
  readonly excludedTypes?: readonly string[];
}

export class TouchReader {
  readonly #catalog: Catalog;
  readonly #rules: ObjectiveRules;
  readonly #numbers: StoredNumbers;

  constructor(catalog: Catalog, rules: ObjectiveRules) {
    this.#catalog = catalog;
    this.#numbers = new StoredNumbers(catalog);
    this.#rules = rules;
  }

  read(events: readonly SignalEvent[], { nowMs, excludedTypes }: TouchQuestion): Map<number, Touch> {
    return touchesOf(events, {
      rules: this.#rules,
      nowMs,
      itemOf: (event) => this.#itemOf(event),
      excludedTypes: excludedTypes?.length ? new Set(excludedTypes) : undefined,
    });
  }

  memoryBytes(): number {
    return this.#numbers.memoryBytes();
  }

  #itemOf({ item, item_no, item_id }: SignalEvent): number {
    if (item !== undefined) return item;
    return item_no === undefined ? this.#catalog.indexOf(item_id) : this.#numbers.itemOf(item_no, item_id);
  }
}
