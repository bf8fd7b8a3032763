// Items without events: an item's score is the mean score of the warm items most like it, by the cosine of their attribute
// features weighted by rarity (IDF). Items appear here as soon as the catalogue knows them, without retraining.
//
// Items with the same features share a group, and a group is scored once. The work of finding neighbours is cut into short
// steps, so that a serving thread is never held up; an item not yet worked on stands in group 0, the group without neighbours.
import { IdTable } from '../domain/id-table.ts';
import { AttributeProfiler, FeatureReader } from './attribute-binning.ts';
import type { Catalogue } from './catalogue.ts';

export const NEIGHBOURS = 20;
/** Neighbours of a group are looked for among so many entries of the index, rarest features first. */
const MAX_POSTINGS = 200_000;
/** Items between two looks at the clock. */
const STEP_ITEMS = 32;
const SLICE_MS = 5;
/** The index is made anew when one item in so many has changed. */
const STALE_SHARE = 16;

interface FeatureIndex {
  readonly reader: FeatureReader;
  readonly features: IdTable;
  /** warm items with feature f: items[offsets[f] … offsets[f + 1]) */
  readonly offsets: Uint32Array;
  readonly items: Uint32Array;
  readonly idf: Float32Array;
  /** length of a warm item's feature vector */
  readonly norms: Float32Array;
  readonly version: number;
}

export class ColdItems {
  readonly #catalogue: Catalogue;
  /** catalogue number of warm item m */
  readonly #warmItems: Uint32Array;
  readonly #isWarm: (item: number) => boolean;
  #index: FeatureIndex | null = null;
  #work: Iterator<void> | null = null;
  #knownVersion = -1;
  #pending: number[] = [];
  /** catalogue numbers of the cold items, each once, and their groups */
  #items = new Uint32Array(0);
  #groups = new Uint32Array(0);
  #count = 0;
  /** 1 + place by catalogue number, 0 for items that are not here */
  #places = new Uint32Array(0);
  readonly #groupBySignature = new Map<string, number>();
  /** neighbours of group g: warm indices at g · NEIGHBOURS, as many as counts[g] */
  #neighbours = new Uint32Array(NEIGHBOURS);
  #counts = new Uint8Array(1);
  #groupCount = 1;
  #similarity: Float32Array;
  #groupScores = new Float32Array(1);

  constructor(catalogue: Catalogue, warmItems: Uint32Array, isWarm: (item: number) => boolean) {
    this.#catalogue = catalogue;
    this.#warmItems = warmItems;
    this.#isWarm = isWarm;
    this.#similarity = new Float32Array(0);
  }

  get count(): number {
    return this.#count;
  }

  /** Groups are numbered from 0; 0 is the group without neighbours. */
  get groupCount(): number {
    return this.#groupCount;
  }

  itemAt(place: number): number {
    return this.#items[place];
  }

  groupAt(place: number): number {
    return this.#groups[place];
  }

  /** The group of a catalogue number; 0 for one that is not known here. */
  groupOf(item: number): number {
    const place = item < this.#places.length ? this.#places[item] : 0;
    return place === 0 ? 0 : this.#groups[place - 1];
  }

  /** Warm indices of the items a group is scored by. */
  neighboursOf(group: number): Uint32Array {
    return this.#neighbours.subarray(group * NEIGHBOURS, group * NEIGHBOURS + this.#counts[group]);
  }

  /** The score of every group from the scores of the warm items; `floor` for the group without neighbours. */
  scoreGroups(scores: Float32Array, floor: number): Float32Array {
    if (this.#groupScores.length < this.#groupCount) this.#groupScores = new Float32Array(this.#groupCount * 2);
    const groupScores = this.#groupScores;
    for (let group = 0; group < this.#groupCount; group++) {
      const count = this.#counts[group];
      if (count === 0) {
        groupScores[group] = floor;
        continue;
      }
      let sum = 0;
      const start = group * NEIGHBOURS;
      for (let at = start; at < start + count; at++) sum += scores[this.#neighbours[at]];
      groupScores[group] = sum / count;
    }
    return groupScores;
  }

  /** Notes what the catalogue gained, and works for at most `budgetMs`. True when nothing is left to do. */
  follow(budgetMs: number): boolean {
    this.#noteChanges();
    if (this.#work === null) {
      if (this.#pending.length === 0) return true;
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
    const index = this.#index;
    const indexBytes =
      index === null
        ? 0
        : index.features.memoryBytes() + index.offsets.byteLength + index.items.byteLength + index.norms.byteLength;
    const arrays = [
      this.#items,
      this.#groups,
      this.#places,
      this.#neighbours,
      this.#counts,
      this.#similarity,
      this.#groupScores,
    ];
    return indexBytes + arrays.reduce((sum, array) => sum + array.byteLength, 0);
  }

  #noteChanges(): void {
    const { version } = this.#catalogue;
    if (version === this.#knownVersion) return;
    const changed = this.#knownVersion < 0 ? null : this.#catalogue.changedSince(this.#knownVersion);
    this.#knownVersion = version;
    if (changed !== null) for (const item of changed) this.#note(item);
    else for (let item = 0; item < this.#catalogue.itemCount; item++) this.#note(item);
    if (this.#index !== null && (version - this.#index.version) * STALE_SHARE > this.#catalogue.itemCount)
      this.#forget();
  }

  #note(item: number): void {
    if (this.#isWarm(item)) return;
    if (item >= this.#places.length) this.#places = grown(this.#places, this.#catalogue.itemCount);
    if (this.#places[item] === 0) {
      if (this.#count === this.#items.length) {
        this.#items = grown(this.#items, this.#count + 1);
        this.#groups = grown(this.#groups, this.#count + 1);
      }
      this.#items[this.#count] = item;
      this.#places[item] = ++this.#count;
    }
    if (this.#catalogue.has(item)) this.#pending.push(item);
  }

  /** Too much changed: the neighbours of all cold items are to be found anew. */
  #forget(): void {
    this.#index = null;
    this.#work = null;
    this.#pending = [];
    for (let place = 0; place < this.#count; place++) {
      if (this.#catalogue.has(this.#items[place])) this.#pending.push(this.#items[place]);
    }
  }

  *#steps(): Generator<void> {
    if (this.#index === null) {
      yield* this.#makeIndex();
      this.#groupBySignature.clear();
      this.#groups.fill(0);
      this.#groupCount = 1;
    }
    const index = this.#index!;
    for (let done = 0; this.#pending.length > 0; done++) {
      const item = this.#pending.pop()!;
      this.#groups[this.#places[item] - 1] = this.#assign(item, index);
      if (done % STEP_ITEMS === 0) yield;
    }
  }

  #assign(item: number, index: FeatureIndex): number {
    const found: number[] = [];
    for (const feature of index.reader.features(this.#catalogue.attributesOf(item))) {
      const known = index.features.indexOf(feature);
      if (known >= 0) found.push(known);
    }
    if (found.length === 0) return 0;
    // rarest first; equal rarity by number, so that equal features give equal groups
    found.sort((a, b) => index.idf[b] - index.idf[a] || a - b);
    const signature = found.join(' ');
    const known = this.#groupBySignature.get(signature);
    if (known !== undefined) return known;
    const group = this.#addGroup(found, index);
    this.#groupBySignature.set(signature, group);
    return group;
  }

  #addGroup(features: readonly number[], index: FeatureIndex): number {
    const similarity = this.#similarity;
    const touched: number[] = [];
    let postings = 0;
    for (const feature of features) {
      const end = index.offsets[feature + 1];
      postings += end - index.offsets[feature];
      if (postings > MAX_POSTINGS && touched.length >= NEIGHBOURS) break;
      const weight = index.idf[feature] ** 2;
      for (let at = index.offsets[feature]; at < end; at++) {
        const warm = index.items[at];
        if (similarity[warm] === 0) touched.push(warm);
        similarity[warm] += weight;
      }
    }
    // The group's own length is the same for all candidates and left out.
    const nearest = nearestOf(touched, (warm) => similarity[warm] / index.norms[warm]);
    for (const warm of touched) similarity[warm] = 0;
    const group = this.#groupCount++;
    if (this.#groupCount > this.#counts.length) {
      const counts = new Uint8Array(this.#counts.length * 2);
      counts.set(this.#counts);
      this.#counts = counts;
      this.#neighbours = grown(this.#neighbours, counts.length * NEIGHBOURS);
    }
    this.#neighbours.set(nearest, group * NEIGHBOURS);
    this.#counts[group] = nearest.length;
    return group;
  }

  *#makeIndex(): Generator<void> {
    const { version } = this.#catalogue;
    const profiler = new AttributeProfiler(this.#catalogue.attributeSchema);
    for (let warm = 0; warm < this.#warmItems.length; warm++) {
      profiler.observe(this.#catalogue.attributesOf(this.#warmItems[warm]));
      if (warm % STEP_ITEMS === 0) yield;
    }
    const reader = new FeatureReader(profiler.binnings());
    const features = new IdTable();
    // first the features of each warm item, one after another, then the same turned round
    let flat = new Uint32Array(this.#warmItems.length * 4);
    const ends = new Uint32Array(this.#warmItems.length);
    let length = 0;
    for (let warm = 0; warm < this.#warmItems.length; warm++) {
      for (const feature of reader.features(this.#catalogue.attributesOf(this.#warmItems[warm]))) {
        if (length === flat.length) flat = grown(flat, length + 1);
        flat[length++] = features.intern(feature);
      }
      ends[warm] = length;
      if (warm % STEP_ITEMS === 0) yield;
    }
    this.#index = { reader, features, version, ...turnRound(flat, ends, features.length) };
    this.#similarity = new Float32Array(this.#warmItems.length);
  }
}

function turnRound(flat: Uint32Array, ends: Uint32Array, featureCount: number) {
  const warmCount = ends.length;
  const length = warmCount === 0 ? 0 : ends[warmCount - 1];
  const offsets = new Uint32Array(featureCount + 1);
  for (let at = 0; at < length; at++) offsets[flat[at] + 1]++;
  for (let feature = 0; feature < featureCount; feature++) offsets[feature + 1] += offsets[feature];
  const idf = new Float32Array(featureCount);
  for (let feature = 0; feature < featureCount; feature++) {
    idf[feature] = Math.log(1 + warmCount / (offsets[feature + 1] - offsets[feature]));
  }
  const items = new Uint32Array(length);
  const norms = new Float32Array(warmCount);
  const next = offsets.slice(0, featureCount);
  let at = 0;
  for (let warm = 0; warm < warmCount; warm++) {
    let squares = 0;
    for (; at < ends[warm]; at++) {
      items[next[flat[at]]++] = warm;
      squares += idf[flat[at]] ** 2;
    }
    norms[warm] = Math.sqrt(squares);
  }
  return { offsets, items, idf, norms };
}

/** The NEIGHBOURS candidates with the greatest likeness, ties by the smaller index. */
function nearestOf(candidates: readonly number[], likeness: (warm: number) => number): number[] {
  const best: { warm: number; value: number }[] = [];
  for (const warm of candidates) {
    const value = likeness(warm);
    const last = best[best.length - 1];
    if (best.length === NEIGHBOURS && (value < last.value || (value === last.value && warm > last.warm))) continue;
    let at = best.length;
    while (at > 0 && (value > best[at - 1].value || (value === best[at - 1].value && warm < best[at - 1].warm))) at--;
    best.splice(at, 0, { warm, value });
    if (best.length > NEIGHBOURS) best.pop();
  }
  return best.map(({ warm }) => warm);
}

function grown(array: Uint32Array<ArrayBuffer>, length: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(Math.max(length, 64, array.length * 2));
  larger.set(array);
  return larger;
}
