// The live item catalog in memory: ids, attributes in columns, and the bitmaps of filters. It follows its item dataset
// (loaded once by streaming, then only what changed), so that a new, changed or deleted item counts at the next call.
//
// Invariants:
// - An item's number never changes while the catalog lives; a deleted item keeps its number and is no longer listed.
// - Which items may be recommended follows from two sets: those with a record, and those that were never deleted. Both
//   change item by item. An item that was deleted is in neither until it is written again.
// - Reading an attribute gives back exactly the value that was stored; null means absent.
import { isDeepStrictEqual } from 'node:util';
import { IdTable } from '../base/id-table.ts';
import { atOnce, inTurns, type Steps } from '../base/steps.ts';
import { until } from '../base/until.ts';
import type { AttributeSchema } from '../domain/dataset.ts';
import { evaluateSteps } from '../domain/filter/evaluate-filter.ts';
import { type Filter, type FilterLiteral, ITEM_ID } from '../domain/filter/filter.ts';
import { printFilter } from '../domain/filter/print-filter.ts';
import type { Attributes } from '../domain/record.ts';
import type { RecordNews, RecordStore } from '../store/record-store.ts';
import { AttributeColumn } from './attribute-column.ts';
import { BeyondColumns, define } from './beyond-columns.ts';
import { ChangeLog } from './change-log.ts';
import type { ValueKind } from './dense-column.ts';
import type { ItemBitmap } from './item-set.ts';
import { ItemSet } from './item-set.ts';
import { KeptFilters } from './kept-filters.ts';
import { LastIds } from './last-ids.ts';
import { selectItems } from './select-items.ts';

/** Attribute names beyond this many have no column: their values are kept item by item. */
const MAX_COLUMNS = 1000;
/** Columns that have sets of the items of their values, those used last. */
const MAX_WITH_VALUE_SETS = 5;

export class Catalog {
  readonly #datasetId: string;
  #attributeSchema: AttributeSchema | null;
  readonly #ids = new IdTable();
  readonly #lastIds = new LastIds((item) => this.#ids.at(item)!);
  readonly #columns = new Map<string, AttributeColumn>();
  readonly #beyondColumns = new BeyondColumns();
  /** columns with value sets, least recently used first */
  readonly #withValueSets = new Set<AttributeColumn>();
  /** items that have a record */
  readonly #stored = new ItemSet(0);
  /** known items that were not deleted: those of the dataset, and those only events or a model know */
  readonly #undeleted = new ItemSet(0);
  /** items that were deleted while the catalog knew them */
  readonly #deletedHere = new ItemSet(0);
  /** deleted items that the catalog did not know; some may have been written since */
  readonly #deletedIds = new IdTable();
  #knowsAllDeletions = true;
  #storeVersion = -1;
  readonly #changes = new ChangeLog();
  readonly #filters = new KeptFilters({
    catalog: this,
    select: (filter) => this.#selectAll(filter),
    meets: (filter, item) =>
      evaluateSteps(filter, (name) => (name === ITEM_ID ? this.itemId(item) : this.attribute(item, name))),
    isIncluded: (item) => this.#undeleted.has(item),
  });

  constructor(datasetId: string, attributeSchema: AttributeSchema | null = null) {
    this.#datasetId = datasetId;
    this.#attributeSchema = attributeSchema;
  }

  /** Reads the whole dataset, block by block. */
  static async load(items: RecordStore, datasetId: string, schema: AttributeSchema | null = null): Promise<Catalog> {
    const catalog = new Catalog(datasetId, schema);
    await catalog.follow(items);
    return catalog;
  }

  get datasetId(): string {
    return this.#datasetId;
  }

  /** The dataset's attribute schema, null if it has none. The same object until it changes. */
  get attributeSchema(): AttributeSchema | null {
    return this.#attributeSchema;
  }

  /** Sets the schema that the dataset has now. */
  takeSchema(schema: AttributeSchema | null): void {
    if (!isDeepStrictEqual(schema, this.#attributeSchema)) this.#attributeSchema = schema;
  }

  /** Numbers go from 0 to itemCount − 1. */
  get itemCount(): number {
    return this.#ids.length;
  }

  /** Items that were not deleted. */
  get presentCount(): number {
    return this.#undeleted.count;
  }

  /**
   * Items that were deleted while they had a number. Without those that a model knows and that were deleted before: a new catalog with
   * the same models would have them too.
   */
  get deletedHereCount(): number {
    return this.#deletedHere.count;
  }

  /** Ids of deleted items that had no number when the catalog heard of their deletion. */
  get deletedIdCount(): number {
    return this.#deletedIds.length;
  }

  /** Increases with every change. */
  get version(): number {
    return this.#changes.version;
  }

  itemId(item: number): string {
    return this.#lastIds.at(item);
  }

  /** −1 when the id is not known. */
  indexOf(itemId: string): number {
    return this.#ids.indexOf(itemId);
  }

  /** The id's number; an id not known yet gets one, unlisted (an item that only events or a model know). */
  intern(itemId: string): number {
    const before = this.#ids.length;
    const item = this.#ids.intern(itemId);
    if (this.#ids.length !== before) {
      this.#undeleted.set(item, this.#deletedIds.indexOf(itemId) < 0);
      this.#changes.add(item);
    }
    return item;
  }

  put(itemId: string, attributes: Attributes): void {
    const item = this.intern(itemId);
    if (this.#stored.has(item)) this.#clear(item);
    for (const name of Object.keys(attributes)) {
      const value = attributes[name];
      if (value === null || value === undefined) continue;
      let column = this.#columns.get(name);
      if (column === undefined && this.#columns.size < MAX_COLUMNS) {
        column = new AttributeColumn();
        this.#columns.set(name, column);
      }
      if (column !== undefined) column.write(item, value, this.itemCount);
      else this.#beyondColumns.write(item, name, value);
    }
    this.#stored.set(item, true);
    this.#undeleted.set(item, true);
    this.#deletedHere.set(item, false);
    this.#changes.add(item);
  }

  remove(itemId: string): void {
    const item = this.#ids.indexOf(itemId);
    if (item < 0) {
      this.#deletedIds.intern(itemId);
      return;
    }
    if (!this.#undeleted.has(item)) return;
    if (this.#stored.has(item)) this.#clear(item);
    this.#stored.set(item, false);
    this.#undeleted.set(item, false);
    this.#deletedHere.set(item, true);
    this.#changes.add(item);
  }

  /** Whether the item is in the dataset, i.e. has a record. */
  has(item: number): boolean {
    return this.#stored.has(item);
  }

  /** Items that changed after a version (some perhaps twice); null when that is too long ago to know. */
  changedSince(version: number): number[] | null {
    return this.#changes.since(version);
  }

  /** All items with a record. */
  stored(): ItemSet {
    return this.#stored;
  }

  /** Every known item that was not deleted, with a record or without. Without those that may have been deleted, if that is not known. */
  undeleted(): ItemSet {
    return this.#knowsAllDeletions ? this.#undeleted : this.#stored;
  }

  /** Whether the dataset says anything about the item: it has a record or was deleted. */
  isOnRecord(item: number): boolean {
    return this.#stored.has(item) || !this.#undeleted.has(item);
  }

  /** The items that were not deleted and that a filter lets through. Kept, and updated at the next call after a change. */
  select(filter: Filter): ItemBitmap {
    return atOnce(this.selectSteps(filter));
  }

  /**
   * Selects in steps, for a thread that serves calls: it does other work between steps, and the catalog may change meanwhile.
   * `key` is the printed filter, for callers that have it.
   */
  selectSteps(filter: Filter, key = printFilter(filter)): Steps<ItemBitmap> {
    return this.#filters.select(filter, key);
  }

  /** The items whose attribute is the value, or has it when it is an array. */
  itemsWith(attribute: string, value: string | number | boolean): ItemBitmap {
    return this.select({ kind: 'compare', attribute, operator: '=', value });
  }

  /**
   * Sets that together hold the items with one of the values; they change with the catalog. Columns with few distinct values have a
   * set for each; others are passed over once, and nothing is kept.
   */
  itemsWithAny(attribute: string, values: readonly FilterLiteral[]): readonly ItemBitmap[] {
    const column = attribute === ITEM_ID ? undefined : this.#columns.get(attribute);
    const sets = column?.itemsWithAny(values) ?? null;
    if (column === undefined || sets === null) return [atOnce(this.#selectAll({ kind: 'in', attribute, values }))];
    this.#withValueSets.delete(column);
    this.#withValueSets.add(column);
    const [oldest] = this.#withValueSets;
    if (this.#withValueSets.size > MAX_WITH_VALUE_SETS) {
      oldest.forgetValueSets();
      this.#withValueSets.delete(oldest);
    }
    return sets;
  }

  /** `undefined` when the item lacks it. */
  attribute(item: number, name: string): unknown {
    const column = this.#columns.get(name);
    if (column !== undefined) return column.read(item);
    return this.#beyondColumns.read(item, name);
  }

  attributesOf(item: number): Attributes {
    const attributes: Attributes = {};
    for (const [name, column] of this.#columns) {
      const value = column.read(item);
      if (value !== undefined) define(attributes, name, value);
    }
    const others = this.#beyondColumns.of(item);
    for (const name of Object.keys(others)) define(attributes, name, others[name]);
    return attributes;
  }

  /** Kinds of values of an attribute; empty when no item has it, null when that is not known. */
  kindsOf(name: string): ValueKind[] | null {
    const column = this.#columns.get(name);
    if (column !== undefined) return column.kinds();
    return this.#beyondColumns.size > 0 ? null : [];
  }

  attributeNames(): string[] {
    return [...this.#columns.keys()];
  }

  /**
   * Brings the catalog up to what the dataset holds at the moment of the call; true when something changed. One call at a
   * time: where many follow one catalog, serving/catalog-follower.ts has them share. The signal ends a scan of the dataset.
   */
  follow(items: RecordStore, signal?: AbortSignal): boolean | Promise<boolean> {
    const news = this.#storeVersion < 0 ? null : items.changesSince(this.#datasetId, this.#storeVersion);
    const isCurrent = !(news instanceof Promise) && news?.version === this.#storeVersion;
    return isCurrent ? false : this.#catchUp(items, news, signal);
  }

  /** Gives back memory of values that were overwritten, where it is worth it. */
  *tidy(): Steps<void> {
    for (const column of this.#columns.values()) yield* column.tidy(this.itemCount);
  }

  memoryBytes(): number {
    let bytes = this.#ids.memoryBytes() + this.#lastIds.memoryBytes() + this.#deletedIds.memoryBytes();
    bytes += this.#stored.memoryBytes() + this.#undeleted.memoryBytes() + this.#deletedHere.memoryBytes();
    for (const column of this.#columns.values()) bytes += column.memoryBytes();
    return bytes + this.#beyondColumns.memoryBytes() + this.#filters.memoryBytes();
  }

  async #catchUp(items: RecordStore, news: RecordNews | Promise<RecordNews>, signal?: AbortSignal): Promise<boolean> {
    const changes = await news;
    if (changes !== null) return this.#apply(items, changes);
    await this.#reload(items, signal);
    return true;
  }

  async #apply(items: RecordStore, changes: NonNullable<RecordNews>): Promise<boolean> {
    // Read in blocks, because records may be large.
    const blockSize = 100;
    for (let from = 0; from < changes.ids.length; from += blockSize) {
      const ids = changes.ids.slice(from, from + blockSize);
      const records = await items.getMany(this.#datasetId, ids);
      await inTurns(this.#take(records.map((record, n) => record ?? { id: ids[n], attributes: null })));
    }
    this.#storeVersion = changes.version;
    return changes.ids.length > 0;
  }

  async #reload(items: RecordStore, signal?: AbortSignal): Promise<void> {
    // The version is read first: what changes during the scan is read again by the next follow.
    const version = await items.version(this.#datasetId);
    const gone = new ItemSet(this.itemCount);
    gone.words.set(this.#stored.words.subarray(0, gone.words.length));
    for await (const block of until(signal, items.scan(this.#datasetId))) {
      await inTurns(this.#take(block));
      for (const { id } of block) gone.set(this.#ids.indexOf(id), false);
    }
    await inTurns(this.#removeAll(gone));
    for await (const ids of until(signal, items.deletedIds(this.#datasetId))) for (const id of ids) this.remove(id);
    this.#knowsAllDeletions = await items.knowsAllDeletions(this.#datasetId);
    this.#storeVersion = version;
  }

  /** Takes over records, those without attributes as deleted ones, and tidies up behind them. */
  *#take(records: Iterable<{ id: string; attributes: Attributes | null }>): Steps<void> {
    for (const { id, attributes } of records) {
      if (attributes === null) this.remove(id);
      else this.put(id, attributes);
      yield;
    }
    yield* this.tidy();
  }

  *#removeAll(items: ItemSet): Steps<void> {
    for (let word = 0; word < items.words.length; word++) {
      if (items.words[word] === 0) continue;
      for (let item = word * 32; item < word * 32 + 32; item++) if (items.has(item)) this.remove(this.itemId(item));
      yield;
    }
  }

  #selectAll(filter: Filter): Steps<ItemSet> {
    return selectItems(filter, { ids: this.#ids, column: (name) => this.#column(name) }, this.#undeleted);
  }

  *#column(name: string): Steps<AttributeColumn | undefined> {
    const column = this.#columns.get(name);
    if (column !== undefined || this.#beyondColumns.size === 0) return column;
    return yield* this.#beyondColumns.gather(name, { itemCount: () => this.itemCount, version: () => this.version });
  }

  #clear(item: number): void {
    for (const column of this.#columns.values()) column.write(item, null, this.itemCount);
    this.#beyondColumns.delete(item);
  }
}
