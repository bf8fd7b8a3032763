// Which warm items have a feature, made from their attributes: the index that finds the items most like an item without
// events, by the cosine of feature vectors weighted by rarity (IDF).

import type { Catalog } from '../catalog/catalog.ts';
import { IdTable } from '../domain/id-table.ts';
import type { Attributes } from '../domain/record.ts';
import { AttributeProfiler, FeatureReader } from './attribute-binning.ts';
import { grown } from './grown.ts';

export const NEIGHBOURS = 20;
/** Neighbors are searched among this many entries of the index, rarest features first. */
const MAX_POSTINGS = 200_000;
/** Items between two pauses. */
const STEP_ITEMS = 32;

/** Warm items by their indices, and how like each is, from 0 to 1. Nearest first; of equal ones the smaller index. */
export interface AlikeItems {
  readonly warm: Uint32Array;
  readonly likeness: Float64Array;
}

interface Postings {
  /** warm items with feature f: items[offsets[f] … offsets[f + 1]) */
  readonly offsets: Uint32Array;
  readonly items: Uint32Array;
  readonly idf: Float32Array;
  /** length of a warm item's feature vector */
  readonly norms: Float32Array;
}

export class FeatureIndex {
  /** of the catalog when the index was begun */
  readonly version: number;
  readonly #reader: FeatureReader;
  readonly #features: IdTable;
  readonly #postings: Postings;
  /** by warm item, all 0 between two searches */
  readonly #similarity: Float32Array;
  /** the warm items of a search */
  readonly #touched: Uint32Array;

  private constructor(version: number, reader: FeatureReader, features: IdTable, postings: Postings) {
    this.version = version;
    this.#reader = reader;
    this.#features = features;
    this.#postings = postings;
    this.#similarity = new Float32Array(postings.norms.length);
    this.#touched = new Uint32Array(postings.norms.length);
  }

  /** Makes the index in short steps; warm item m is the catalog's number warmItems[m]. */
  static *make(catalog: Catalog, warmItems: Uint32Array): Generator<void, FeatureIndex> {
    const { version } = catalog;
    const profiler = new AttributeProfiler(catalog.attributeSchema);
    for (let warm = 0; warm < warmItems.length; warm++) {
      profiler.observe(catalog.attributesOf(warmItems[warm]));
      if (warm % STEP_ITEMS === 0) yield;
    }
    const reader = new FeatureReader(profiler.binnings());
    const features = new IdTable();
    // first the features of each warm item, one after another, then the same turned round
    let flat = new Uint32Array(warmItems.length * 4);
    const ends = new Uint32Array(warmItems.length);
    let length = 0;
    for (let warm = 0; warm < warmItems.length; warm++) {
      for (const feature of reader.features(catalog.attributesOf(warmItems[warm]))) {
        if (length === flat.length) flat = grown(flat, length + 1);
        flat[length++] = features.intern(feature);
      }
      ends[warm] = length;
      if (warm % STEP_ITEMS === 0) yield;
    }
    return new FeatureIndex(version, reader, features, turnRound(flat, ends, features.length));
  }

  /** Numbers of the features a warm item has too; rarest first, equal rarity by number: equal features give equal lists. */
  featuresOf(attributes: Attributes): number[] {
    const { idf } = this.#postings;
    const found: number[] = [];
    for (const feature of this.#reader.features(attributes)) {
      const known = this.#features.indexOf(feature);
      if (known >= 0) found.push(known);
    }
    return found.sort((a, b) => idf[b] - idf[a] || a - b);
  }

  /** The warm items most like an item with these features, at most NEIGHBOURS. Likeness is the cosine. */
  nearest(features: readonly number[]): AlikeItems {
    const { offsets, items, idf } = this.#postings;
    const similarity = this.#similarity;
    const touched = this.#touched;
    let count = 0;
    let postings = 0;
    for (const feature of features) {
      const end = offsets[feature + 1];
      postings += end - offsets[feature];
      if (postings > MAX_POSTINGS && count >= NEIGHBOURS) break;
      const weight = idf[feature] ** 2;
      for (let at = offsets[feature]; at < end; at++) {
        const warm = items[at];
        if (similarity[warm] === 0) touched[count++] = warm;
        similarity[warm] += weight;
      }
    }
    return this.#greatest(count, Math.sqrt(features.reduce((sum, feature) => sum + idf[feature] ** 2, 0)));
  }

  /** Of the first `count` touched items; `length` is that of the feature vector. Makes the similarities 0 again. */
  #greatest(count: number, length: number): AlikeItems {
    const { norms } = this.#postings;
    const similarity = this.#similarity;
    const touched = this.#touched;
    const warm = new Uint32Array(NEIGHBOURS);
    const likeness = new Float64Array(NEIGHBOURS);
    let size = 0;
    for (let n = 0; n < count; n++) {
      const item = touched[n];
      const own = similarity[item] / (norms[item] * length);
      similarity[item] = 0;
      // One that comes later in `touched` may have a smaller index.
      const last = NEIGHBOURS - 1;
      if (size > last && (own < likeness[last] || (own === likeness[last] && item > warm[last]))) continue;
      let at = Math.min(size, last);
      size = at + 1;
      for (; at > 0 && (own > likeness[at - 1] || (own === likeness[at - 1] && item < warm[at - 1])); at--) {
        warm[at] = warm[at - 1];
        likeness[at] = likeness[at - 1];
      }
      warm[at] = item;
      likeness[at] = own;
    }
    return { warm: warm.subarray(0, size), likeness: likeness.subarray(0, size) };
  }

  memoryBytes(): number {
    const { offsets, items, idf, norms } = this.#postings;
    const arrays = [offsets, items, idf, norms, this.#similarity, this.#touched];
    return arrays.reduce((sum, array) => sum + array.byteLength, this.#features.memoryBytes());
  }
}

function turnRound(flat: Uint32Array, ends: Uint32Array, featureCount: number): Postings {
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
