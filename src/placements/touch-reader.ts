// A user's touches by catalog number, for one model over one catalog. Belongs to one thread.
import type { Catalog } from '../catalog/catalog.ts';
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
  /** 1 + catalog number by the item's number in the event dataset; 0: not known yet */
  #placeOfNumber = new Uint32Array(1024);

  constructor(catalog: Catalog, rules: ObjectiveRules) {
    this.#catalog = catalog;
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
    return this.#placeOfNumber.byteLength;
  }

  /** Stored events come with numbers: the id is looked up once for each. An unknown one may become known later. */
  #itemOf({ item_no, item_id }: SignalEvent): number {
    if (item_no === undefined) return this.#catalog.indexOf(item_id);
    if (item_no >= this.#placeOfNumber.length) {
      const grown = new Uint32Array(Math.max(item_no + 1, this.#placeOfNumber.length * 2));
      grown.set(this.#placeOfNumber);
      this.#placeOfNumber = grown;
    }
    if (this.#placeOfNumber[item_no] === 0) this.#placeOfNumber[item_no] = this.#catalog.indexOf(item_id) + 1;
    return this.#placeOfNumber[item_no] - 1;
  }
}
