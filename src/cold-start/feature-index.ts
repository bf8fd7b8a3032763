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

/** A warm item by its index, and how like it is. */
export interface AlikeItem {
  readonly warm: number;
  readonly likeness: number;
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

  private constructor(version: number, reader: FeatureReader, features: IdTable, postings: Postings) {
    this.version = version;
    this.#reader = reader;
    this.#features = features;
    this.#postings = postings;
    this.#similarity = new Float32Array(postings.norms.length);
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

  /** The warm items most like an item with these features, at most NEIGHBOURS, nearest first. Likeness is the cosine, 0 to 1. */
  nearest(features: readonly number[]): AlikeItem[] {
    const { offsets, items, idf, norms } = this.#postings;
    const similarity = this.#similarity;
    const touched: number[] = [];
    let postings = 0;
    for (const feature of features) {
      const end = offsets[feature + 1];
      postings += end - offsets[feature];
      if (postings > MAX_POSTINGS && touched.length >= NEIGHBOURS) break;
      const weight = idf[feature] ** 2;
      for (let at = offsets[feature]; at < end; at++) {
        const warm = items[at];
        if (similarity[warm] === 0) touched.push(warm);
        similarity[warm] += weight;
      }
    }
    const length = Math.sqrt(features.reduce((sum, feature) => sum + idf[feature] ** 2, 0));
    const nearest = greatest(touched, (warm) => similarity[warm] / (norms[warm] * length));
    for (const warm of touched) similarity[warm] = 0;
    return nearest;
  }

  memoryBytes(): number {
    const { offsets, items, idf, norms } = this.#postings;
    const arrays = [offsets, items, idf, norms, this.#similarity];
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

/** The NEIGHBOURS candidates with the greatest likeness, ties by the smaller index. */
function greatest(candidates: readonly number[], likenessOf: (warm: number) => number): AlikeItem[] {
  const best: AlikeItem[] = [];
  const isBefore = (a: AlikeItem, b: AlikeItem) =>
    a.likeness > b.likeness || (a.likeness === b.likeness && a.warm < b.warm);
  for (const warm of candidates) {
    const candidate = { warm, likeness: likenessOf(warm) };
    if (best.length === NEIGHBOURS && !isBefore(candidate, best[NEIGHBOURS - 1])) continue;
    let at = best.length;
    while (at > 0 && isBefore(candidate, best[at - 1])) at--;
    best.splice(at, 0, candidate);
    if (best.length > NEIGHBOURS) best.pop();
  }
  return best;
}
