// Items without events: an item's score is the mean score of the warm items most like it by their attributes
// (feature-index.ts). Items appear here as soon as the catalog knows them, without retraining.
//
// Items with the same features share a group, and a group is scored once. Finding neighbors is split into short
// steps, so that a serving thread is never blocked; an item not processed yet is in group 0, the group without neighbors.
import type { Catalog } from '../catalog/catalog.ts';
import { BoundedCache } from '../domain/bounded-cache.ts';
import { type AlikeItems, NEIGHBORS } from './alike-search.ts';
import { FeatureIndex } from './feature-index.ts';
import { grown } from './grown.ts';

/** Items between two looks at the clock. */
const STEP_ITEMS = 32;
const SLICE_MS = 5;
/** The index is rebuilt when one item in this many has changed. */
const STALE_SHARE = 16;
const ALIKE_CACHE_BYTES = 16 * 1024 * 1024;
/** Of the two arrays of an item's alike items. */
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
  #pending: number[] = [];
  /** catalog numbers of the cold items, each once, and their groups */
  #items = new Uint32Array(0);
  #groups = new Uint32Array(0);
  #count = 0;
  /** 1 + place by catalog number, 0 for items that are not here */
  #places = new Uint32Array(0);
  readonly #groupBySignature = new Map<string, number>();
  /** neighbors of group g: warm indices at g · NEIGHBOURS, as many as counts[g] */
  #neighbors = new Uint32Array(NEIGHBORS);
  #counts = new Uint8Array(1);
  #groupCount = 1;
  #groupScores = new Float32Array(1);
  /** by catalog number, until the item changes or the index is made again */
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
  }

  get count(): number {
    return this.#count;
  }

  /** Groups are numbered from 0; 0 is the group without neighbors. */
  get groupCount(): number {
    return this.#groupCount;
  }

  itemAt(place: number): number {
    return this.#items[place];
  }

  groupAt(place: number): number {
    return this.#groups[place];
  }

  /** The group of a catalog number; 0 for one that is not known here. */
  groupOf(item: number): number {
    const place = item < this.#places.length ? this.#places[item] : 0;
    return place === 0 ? 0 : this.#groups[place - 1];
  }

  /** Warm indices of the items a group is scored by. */
  neighborsOf(group: number): Uint32Array {
    return this.#neighbors.subarray(group * NEIGHBORS, group * NEIGHBORS + this.#counts[group]);
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

  /** The score of every group from the scores of the warm items; `floor` for the group without neighbors. */
  scoreGroups(scores: Float32Array, floor: number): Float32Array {
    if (this.#groupScores.length < this.#groupCount) this.#groupScores = new Float32Array(this.#groupCount * 2);
    const groupScores = this.#groupScores;
    const neighbors = this.#neighbors;
    for (let group = 0; group < this.#groupCount; group++) {
      const count = this.#counts[group];
      if (count === 0) {
        groupScores[group] = floor;
        continue;
      }
      let sum = 0;
      const start = group * NEIGHBORS;
      for (let at = start; at < start + count; at++) sum += scores[neighbors[at]];
      groupScores[group] = sum / count;
    }
    return groupScores;
  }

  /** Notes what the catalog gained, and works for at most `budgetMs`. True when nothing is left to do. */
  follow(budgetMs: number): boolean {
    this.#noteChanges();
    if (this.#work === null) {
      const isIndexed = this.#index !== null || !this.#isAlwaysIndexed;
      if (this.#pending.length === 0 && isIndexed) return true;
      this.#work = this.#steps();
    }
    const end = performance.now() + budgetMs;
    do {
      if (this.#work.next().done) {
        this.#work = null;
        return this.#pending.length === 0;
      }
    } while (performance.now() < end);
    return false;
  }

  /** Does all the work, letting others run in between. */
  async settle(): Promise<void> {
    while (!this.follow(SLICE_MS)) await new Promise(setImmediate);
  }

  memoryBytes(): number {
    const arrays = [this.#items, this.#groups, this.#places, this.#neighbors, this.#counts, this.#groupScores];
    return arrays.reduce((sum, array) => sum + array.byteLength, this.#index?.memoryBytes() ?? 0);
  }

  #noteChanges(): void {
    const { version } = this.#catalog;
    if (version === this.#knownVersion) return;
    const changed = this.#knownVersion < 0 ? null : this.#catalog.changedSince(this.#knownVersion);
    this.#knownVersion = version;
    if (changed === null) this.#alike.clear();
    if (changed !== null) for (const item of changed) this.#note(item);
    else for (let item = 0; item < this.#catalog.itemCount; item++) this.#note(item);
    if (this.#index !== null && (version - this.#index.version) * STALE_SHARE > this.#catalog.itemCount) this.#forget();
  }

  #note(item: number): void {
    this.#alike.delete(item);
    if (this.#isWarm(item)) return;
    if (item >= this.#places.length) this.#places = grown(this.#places, this.#catalog.itemCount);
    if (this.#places[item] === 0) {
      if (this.#count === this.#items.length) {
        this.#items = grown(this.#items, this.#count + 1);
        this.#groups = grown(this.#groups, this.#count + 1);
      }
      this.#items[this.#count] = item;
      this.#places[item] = ++this.#count;
    }
    if (this.#catalog.has(item)) this.#pending.push(item);
  }

  /** Too much changed: the neighbors of all cold items must be found again. */
  #forget(): void {
    this.#index = null;
    this.#work = null;
    this.#pending = [];
    for (let place = 0; place < this.#count; place++) {
      if (this.#catalog.has(this.#items[place])) this.#pending.push(this.#items[place]);
    }
  }

  *#steps(): Generator<void> {
    if (this.#index === null) {
      this.#index = yield* FeatureIndex.make(this.#catalog, this.#warmItems);
      this.#alike.clear();
      this.#groupBySignature.clear();
      this.#groups.fill(0);
      this.#groupCount = 1;
    }
    for (let done = 0; this.#pending.length > 0; done++) {
      const item = this.#pending.pop()!;
      this.#groups[this.#places[item] - 1] = this.#assign(item, this.#index);
      if (done % STEP_ITEMS === 0) yield;
    }
  }

  #assign(item: number, index: FeatureIndex): number {
    const features = index.featuresOf(this.#catalog.attributesOf(item));
    if (features.length === 0) return 0;
    const signature = features.join(' ');
    const known = this.#groupBySignature.get(signature);
    if (known !== undefined) return known;
    const group = this.#addGroup(index.nearest(features).warm);
    this.#groupBySignature.set(signature, group);
    return group;
  }

  #addGroup(neighbors: Uint32Array): number {
    const group = this.#groupCount++;
    if (this.#groupCount > this.#counts.length) {
      const counts = new Uint8Array(this.#counts.length * 2);
      counts.set(this.#counts);
      this.#counts = counts;
      this.#neighbors = grown(this.#neighbors, counts.length * NEIGHBORS);
    }
    this.#neighbors.set(neighbors, group * NEIGHBORS);
    this.#counts[group] = neighbors.length;
    return group;
  }
}
