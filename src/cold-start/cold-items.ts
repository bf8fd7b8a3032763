// Items without events: an item's score is the mean score of the warm items most like it by their attributes
// (feature-index.ts). Items appear here as soon as the catalog knows them, without retraining.
//
// Items with the same features share a group (cold-groups.ts). Finding neighbors is split into short steps, so that a serving
// thread is never blocked; an item not processed yet is in group 0, the group without neighbors.

import { BoundedCache } from '../base/bounded-cache.ts';
import { doubled } from '../base/grown.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { type AlikeItems, NEIGHBORS } from './alike-search.ts';
import { ColdGroups } from './cold-groups.ts';
import { FeatureIndex } from './feature-index.ts';
import { IdOrder } from './id-order.ts';

/** Items of the catalog that are noted between two looks at the clock. */
const STEP_ITEMS = 32;
const SLICE_MS = 5;
/** The index is rebuilt when one item in this many has changed. */
const STALE_SHARE = 16;
/** Estimated bytes of a key and its group in the map, besides the text of the key. */
const SIGNATURE_BYTES = 80;
const ALIKE_CACHE_BYTES = 16 * 1024 * 1024;
/** Estimated bytes of the two arrays of an item's alike items. */
const ALIKE_BYTES = NEIGHBORS * 12 + 300;
const NONE: AlikeItems = { warm: new Uint32Array(0), likeness: new Float64Array(0) };

export class ColdItems {
  readonly #catalog: Catalog;
  /** catalog number of warm item m */
  readonly #warmItems: Uint32Array;
  readonly #isWarm: (item: number) => boolean;
  readonly #isAlwaysIndexed: boolean;
  #index: FeatureIndex | null = null;
  #work: Iterator<void> | null = null;
  #knownVersion = -1;
  /** range of items still to be looked at after the whole catalog changed */
  #unseen = { from: 0, to: 0 };
  #pending: number[] = [];
  /** catalog numbers of the cold items, each once, and their groups */
  #items = new Uint32Array(0);
  #groups = new Uint32Array(0);
  #count = 0;
  /** 1 + place by catalog number, 0 for items that are not here */
  #places = new Uint32Array(0);
  readonly groups: ColdGroups;
  /** of items that score the same; nodes learn of items in different orders */
  readonly order = new IdOrder((place) => this.#catalog.itemId(this.#items[place]));
  readonly #groupBySignature = new Map<string, number>();
  #signatureBytes = 0;
  /** by catalog number, valid until the item changes or the index is rebuilt */
  readonly #alike = new BoundedCache<number, AlikeItems>({
    name: 'alike_items',
    maxBytes: ALIKE_CACHE_BYTES,
    bytesOf: () => ALIKE_BYTES,
  });

  /** `isAlwaysIndexed`: builds the index even if no item is cold, because `alikeItems` needs it. */
  constructor(
    catalog: Catalog,
    warmItems: Uint32Array,
    isWarm: (item: number) => boolean,
    { isAlwaysIndexed = false }: { isAlwaysIndexed?: boolean } = {},
  ) {
    this.#catalog = catalog;
    this.#warmItems = warmItems;
    this.#isWarm = isWarm;
    this.#isAlwaysIndexed = isAlwaysIndexed;
    this.groups = new ColdGroups(warmItems.length);
  }

  get count(): number {
    return this.#count;
  }

  itemAt(place: number): number {
    return this.#items[place];
  }

  groupAt(place: number): number {
    return this.#groups[place];
  }

  /** The group of a catalog number; 0 for one that is not known here. */
  groupOf(item: number): number {
    const place = this.placeOf(item);
    return place < 0 ? 0 : this.#groups[place];
  }

  /** The place of a catalog number; below 0 for one that is not known here. */
  placeOf(item: number): number {
    return item < this.#places.length ? this.#places[item] - 1 : -1;
  }

  /** The warm items most like an item of the catalog by their attributes; none while the index is being made. */
  alikeItems(item: number): AlikeItems {
    const index = this.#index;
    if (index === null) return NONE;
    return this.#alike.getOrMake(item, () => {
      const features = index.featuresOf(this.#catalog.attributesOf(item));
      return features.length === 0 ? NONE : index.nearest(features);
    });
  }

  /** Notes what the catalog gained, and works for at most `budgetMs`. True when nothing is left to do. */
  follow(budgetMs: number): boolean {
    this.#noteChanges();
    if (this.#work === null) {
      const isIndexed = this.#index !== null || !this.#isAlwaysIndexed;
      if (isIndexed && this.#isDone()) return true;
      this.#work = this.#steps();
    }
    const end = performance.now() + budgetMs;
    do {
      if (this.#work.next().done) {
        this.#work = null;
        return this.#isDone();
      }
    } while (performance.now() < end);
    return false;
  }

  /** Does all the work, in steps between which others run. */
  async settle(): Promise<void> {
    while (!this.follow(SLICE_MS)) await new Promise(setImmediate);
  }

  memoryBytes(): number {
    const parts = this.groups.memoryBytes() + this.order.memoryBytes() + (this.#index?.memoryBytes() ?? 0);
    return [this.#items, this.#groups, this.#places].reduce(
      (sum, array) => sum + array.byteLength,
      parts + this.#signatureBytes,
    );
  }

  #isDone(): boolean {
    return this.#pending.length === 0 && this.#unseen.from === this.#unseen.to;
  }

  #noteChanges(): void {
    const { version, attributeSchema } = this.#catalog;
    if (this.#index !== null && this.#index.schema !== attributeSchema) this.#forget();
    if (version === this.#knownVersion) return;
    const changed = this.#knownVersion < 0 ? null : this.#catalog.changedSince(this.#knownVersion);
    this.#knownVersion = version;
    if (changed !== null) for (const item of changed) this.#note(item);
    else {
      this.#alike.clear();
      this.#unseen = { from: 0, to: this.#catalog.itemCount };
    }
    if (this.#index !== null && (version - this.#index.version) * STALE_SHARE > this.#catalog.itemCount) this.#forget();
  }

  #note(item: number): void {
    this.#alike.delete(item);
    if (this.#isWarm(item)) return;
    if (item >= this.#places.length) this.#places = doubled(this.#places, this.#catalog.itemCount);
    if (this.#places[item] === 0) {
      if (this.#count === this.#items.length) {
        this.#items = doubled(this.#items, this.#count + 1);
        this.#groups = doubled(this.#groups, this.#count + 1);
      }
      this.#items[this.#count] = item;
      this.#places[item] = ++this.#count;
      this.order.add();
    }
    if (this.#catalog.has(item)) this.#pending.push(item);
  }

  /** Called if too much changed, or the handling of attributes: the neighbors of all cold items must be found again. */
  #forget(): void {
    this.#index = null;
    this.#work = null;
    this.#pending = [];
    for (let place = 0; place < this.#count; place++) {
      if (this.#catalog.has(this.#items[place])) this.#pending.push(this.#items[place]);
    }
  }

  *#steps(): Generator<void> {
    while (this.#unseen.from < this.#unseen.to) {
      this.#note(this.#unseen.from++);
      if (this.#unseen.from % STEP_ITEMS === 0) yield;
    }
    if (this.#pending.length === 0 && !this.#isAlwaysIndexed) return;
    if (this.#index === null) {
      this.#index = yield* FeatureIndex.make(this.#catalog, this.#warmItems);
      this.#alike.clear();
      this.#groupBySignature.clear();
      this.#signatureBytes = 0;
      this.#groups.fill(0);
      this.groups.clear();
    }
    // Assigned in order, so that the items of a group are in order too.
    while (this.#pending.length > 0) {
      const pending = this.#pending;
      this.#pending = [];
      for (let done = 0; done < pending.length; done++) {
        this.#assign(pending[done], this.#index);
        yield;
      }
    }
  }

  #assign(item: number, index: FeatureIndex): void {
    const place = this.#places[item] - 1;
    this.groups.leave(this.#groups[place], place);
    this.#groups[place] = this.#groupWith(index.featuresOf(this.#catalog.attributesOf(item)), index);
    this.groups.join(this.#groups[place], place);
  }

  #groupWith(features: readonly number[], index: FeatureIndex): number {
    if (features.length === 0) return 0;
    const signature = features.join(' ');
    const known = this.#groupBySignature.get(signature);
    if (known !== undefined) return known;
    const group = this.groups.add(index.nearest(features).warm);
    this.#groupBySignature.set(signature, group);
    this.#signatureBytes += SIGNATURE_BYTES + signature.length;
    return group;
  }
}
