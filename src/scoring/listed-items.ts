// Determines which items a model may recommend: those with a record, and, if training decided so, the trained items without one
// that were not deleted. The decision is the model's, so it does not change while items are imported or deleted.
import type { RecordlessItems } from '../artifact/g1-model.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { ItemSet } from '../catalog/item-set.ts';

/** The rule that training applies. */
export function recordlessRule(trainedItems: number, itemsWithRecord: number): RecordlessItems {
  return itemsWithRecord * 2 < trainedItems ? 'all' : 'none';
}

export class ListedItems {
  readonly #catalog: Catalog;
  /** null: only items with a record */
  readonly #trained: ItemSet | null;
  readonly #listed = new ItemSet(0);
  #version = -1;

  /** `trainedItems`: catalog numbers of the items with events. The catalog must have been loaded. */
  constructor(catalog: Catalog, trainedItems: Uint32Array, decided: RecordlessItems | undefined) {
    this.#catalog = catalog;
    const rule = decided ?? ruleByCatalog(catalog, trainedItems);
    this.#trained = rule === 'all' ? setOf(trainedItems, catalog.itemCount) : null;
  }

  /** Returns the same set object each time, updated with the catalog. */
  now(): ItemSet {
    const stored = this.#catalog.stored();
    if (this.#trained === null) return stored;
    if (this.#version === this.#catalog.version) return this.#listed;
    this.#version = this.#catalog.version;
    const undeleted = this.#catalog.undeleted().words;
    const trained = this.#trained.words;
    const words = new Uint32Array(Math.max(stored.words.length, trained.length));
    words.set(stored.words);
    const both = Math.min(trained.length, undeleted.length);
    for (let word = 0; word < both; word++) words[word] |= trained[word] & undeleted[word];
    this.#listed.words = words;
    return this.#listed.recount();
  }

  memoryBytes(): number {
    return this.#listed.memoryBytes() + (this.#trained?.memoryBytes() ?? 0);
  }
}

/**
 * For model files of 0.1.0, which do not store the decision. A deleted item counts as one with a record, so deletions
 * never change the decision, and imports change it at most once, at a later load.
 */
function ruleByCatalog(catalog: Catalog, trainedItems: Uint32Array): RecordlessItems {
  let onRecord = 0;
  for (const item of trainedItems) if (catalog.isOnRecord(item)) onRecord++;
  return recordlessRule(trainedItems.length, onRecord);
}

function setOf(items: Uint32Array, itemCount: number): ItemSet {
  const set = new ItemSet(itemCount);
  for (const item of items) set.set(item, true);
  return set;
}
