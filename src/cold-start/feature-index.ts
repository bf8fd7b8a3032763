// An index from features to the warm items that have them. It finds the items most similar to an item without events, by the
// cosine of feature vectors weighted by rarity (IDF).

import type { AttributeBinning } from '../artifact/g1-model.ts';
import { doubled } from '../base/grown.ts';
import { IdTable } from '../base/id-table.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { AttributeSchema } from '../domain/dataset.ts';
import type { Attributes } from '../domain/record.ts';
import { type AlikeItems, AlikeSearch, type Postings, STEP_ENTRIES } from './alike-search.ts';
import { AttributeProfiler, FeatureReader } from './attribute-binning.ts';

/**
 * Only an item's rarest features are compared: the others, which many items have, hardly change which are nearest. This bounds the time of a
 * search and the memory of a group's features, where an item may have thousands of tags.
 */
const MAX_FEATURES = 128;

export class FeatureIndex {
  /** version and schema of the catalog when the index was begun */
  readonly version: number;
  readonly schema: AttributeSchema | null;
  readonly #reader: FeatureReader;
  readonly #features: IdTable;
  readonly #postings: Postings;
  readonly #search: AlikeSearch;

  private constructor(
    { version, schema }: { readonly version: number; readonly schema: AttributeSchema | null },
    names: { readonly reader: FeatureReader; readonly features: IdTable },
    { postings, search }: { readonly postings: Postings; readonly search: AlikeSearch },
  ) {
    this.version = version;
    this.schema = schema;
    this.#reader = names.reader;
    this.#features = names.features;
    this.#postings = postings;
    this.#search = search;
  }

  /** Makes the index in short steps; warm item m is the catalog's number warmItems[m]. */
  static *make(catalog: Catalog, warmItems: Uint32Array): Generator<void, FeatureIndex> {
    const { version, attributeSchema: schema } = catalog;
    const profiler = new AttributeProfiler(schema);
    for (let warm = 0; warm < warmItems.length; warm++) {
      profiler.observe(catalog.attributesOf(warmItems[warm]));
      yield;
    }
    const binnings: AttributeBinning[] = [];
    for (const binning of profiler.eachBinning()) {
      binnings.push(binning);
      yield;
    }
    const reader = new FeatureReader(binnings);
    const features = new IdTable();
    // lists the features of each warm item one after another, then inverts the list
    let flat = new Uint32Array(warmItems.length * 4);
    const ends = new Uint32Array(warmItems.length);
    let length = 0;
    for (let warm = 0; warm < warmItems.length; warm++) {
      for (const feature of reader.features(catalog.attributesOf(warmItems[warm]))) {
        if (length === flat.length) flat = doubled(flat, length + 1);
        flat[length++] = features.intern(feature);
      }
      ends[warm] = length;
      yield;
    }
    const postings = yield* turnRound(flat, ends, features.length);
    const search = yield* AlikeSearch.make(postings);
    return new FeatureIndex({ version, schema }, { reader, features }, { postings, search });
  }

  /** Numbers of the rarest features a warm item has too; rarest first, equal rarity by number: equal features give equal lists. */
  featuresOf(attributes: Attributes): number[] {
    const { idf } = this.#postings;
    const found: number[] = [];
    for (const feature of this.#reader.features(attributes)) {
      const known = this.#features.indexOf(feature);
      if (known >= 0) found.push(known);
    }
    return found.sort((a, b) => idf[b] - idf[a] || a - b).slice(0, MAX_FEATURES);
  }

  /** The warm items most like an item with these features, as `featuresOf` gives them. */
  nearest(features: readonly number[]): AlikeItems {
    return this.#search.nearest(features);
  }

  memoryBytes(): number {
    const { offsets, items, idf, norms } = this.#postings;
    const arrays = [offsets, items, idf, norms];
    const bytes = this.#features.memoryBytes() + this.#search.memoryBytes();
    return arrays.reduce((sum, array) => sum + array.byteLength, bytes);
  }
}

function* turnRound(flat: Uint32Array, ends: Uint32Array, featureCount: number): Generator<void, Postings> {
  const warmCount = ends.length;
  const length = warmCount === 0 ? 0 : ends[warmCount - 1];
  const offsets = new Uint32Array(featureCount + 1);
  for (let at = 0; at < length; at++) {
    offsets[flat[at] + 1]++;
    if (at % STEP_ENTRIES === 0) yield;
  }
  const idf = new Float32Array(featureCount);
  for (let feature = 0; feature < featureCount; feature++) {
    idf[feature] = Math.log(1 + warmCount / offsets[feature + 1]);
    offsets[feature + 1] += offsets[feature];
    if (feature % STEP_ENTRIES === 0) yield;
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
      if (at % STEP_ENTRIES === 0) yield;
    }
    norms[warm] = Math.sqrt(squares);
  }
  return { offsets, items, idf, norms };
}
