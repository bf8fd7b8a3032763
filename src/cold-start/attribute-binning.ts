// Turns attribute values into features. A number whose size is meaningful becomes its quantile bin, everything else is a
// category; an array has several. Used for cold items (item attributes) and cold users (user attributes).
//
// A feature is written "<index of the attribute>:<category or bin>"; 5 and '5' are the same category.

import type { AttributeBinning } from '../artifact/g1-model.ts';
import { grown } from '../base/grown.ts';
import { FEW_DISTINCT_INTEGERS, inferHandling } from '../domain/attribute-handling.ts';
import type { AttributeHandling, AttributeSchema } from '../domain/dataset.ts';
import type { Attributes } from '../domain/record.ts';

const QUANTILE_BINS = 10;
/** Numbers kept per attribute to find the quantiles. */
const SAMPLE_SIZE = 4096;
/** Attributes beyond this many are left out: names made of ids would otherwise grow without bound. */
const MAX_ATTRIBUTES = 1000;
/** Longer texts (descriptions) are not categories. */
const MAX_CATEGORY_LENGTH = 200;

interface Profile {
  numbers: number;
  others: number;
  onlyIntegers: boolean;
  /** has at most FEW_DISTINCT_INTEGERS + 1 values */
  distinct: Set<number>;
  sample: Float64Array;
}

/** Looks at records one by one and says how each attribute is to be handled. Bounded in memory. */
export class AttributeProfiler {
  readonly #profiles = new Map<string, Profile>();
  readonly #schema: AttributeSchema;

  /** Attributes that the schema declares are not inferred. */
  constructor(schema: AttributeSchema | null = null) {
    this.#schema = schema ?? {};
  }

  observe(attributes: Attributes): void {
    for (const name of Object.keys(attributes)) this.observeValue(name, attributes[name]);
  }

  observeValue(name: string, value: unknown): void {
    if (value === null || value === undefined) return;
    let profile = this.#profiles.get(name);
    if (profile === undefined) {
      if (this.#profiles.size >= MAX_ATTRIBUTES) return;
      profile = { numbers: 0, others: 0, onlyIntegers: true, distinct: new Set(), sample: new Float64Array(0) };
      this.#profiles.set(name, profile);
    }
    if (typeof value !== 'number' || !Number.isFinite(value)) profile.others++;
    else observeNumber(profile, value);
  }

  binnings(): AttributeBinning[] {
    return [...this.eachBinning()];
  }

  /** Yields the binnings one by one, because each sorts a sample of the attribute's values. */
  *eachBinning(): Generator<AttributeBinning, void> {
    for (const [attribute, profile] of this.#profiles) {
      const handling = this.#handling(attribute, profile);
      yield { attribute, handling, edges: handling === 'NUMERICAL' ? quantileEdges(profile) : [] };
    }
  }

  #handling(name: string, profile: Profile): AttributeHandling {
    if (Object.hasOwn(this.#schema, name)) return this.#schema[name];
    return inferHandling({ ...profile, distinct: profile.distinct.size });
  }
}

function observeNumber(profile: Profile, value: number): void {
  const seen = profile.numbers++;
  profile.onlyIntegers &&= Number.isInteger(value);
  if (profile.distinct.size <= FEW_DISTINCT_INTEGERS) profile.distinct.add(value);
  if (seen < SAMPLE_SIZE) {
    if (seen >= profile.sample.length) {
      profile.sample = grown(profile.sample, new Float64Array(Math.min(SAMPLE_SIZE, Math.max(64, seen * 2))));
    }
    profile.sample[seen] = value;
    return;
  }
  // Reservoir sampling with a hash of the position in place of chance: the same records give the same bins.
  const slot = Math.floor(fraction(seen) * (seen + 1));
  if (slot < SAMPLE_SIZE) profile.sample[slot] = value;
}

function fraction(n: number): number {
  let hash = Math.imul(n ^ (n >>> 16), 0x45d9f3b);
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
  return ((hash ^ (hash >>> 16)) >>> 0) / 4_294_967_296;
}

/** Distinct upper edges at the quantiles 1/10 … 9/10. */
function quantileEdges(profile: Profile): number[] {
  const sorted = profile.sample.slice(0, Math.min(profile.numbers, SAMPLE_SIZE)).sort();
  const edges: number[] = [];
  for (let bin = 1; bin < QUANTILE_BINS; bin++) {
    const edge = sorted[Math.floor((bin * sorted.length) / QUANTILE_BINS)];
    if (edge !== undefined && edge < sorted[sorted.length - 1] && edge !== edges[edges.length - 1]) edges.push(edge);
  }
  return edges;
}

/** Turns attributes into features by binnings found before. */
export class FeatureReader {
  readonly #binnings: readonly AttributeBinning[];
  readonly #byName: ReadonlyMap<string, number>;

  constructor(binnings: readonly AttributeBinning[]) {
    this.#binnings = binnings;
    this.#byName = new Map(binnings.map((binning, index) => [binning.attribute, index]));
  }

  knows(attribute: string): boolean {
    return this.#byName.has(attribute);
  }

  /** Distinct features, in the order of the attributes. */
  features(attributes: Attributes): string[] {
    const found = new Set<string>();
    for (const name of Object.keys(attributes)) {
      const index = this.#byName.get(name);
      if (index !== undefined) this.#addFeatures(index, attributes[name], found);
    }
    return [...found];
  }

  /** The attribute and the value of a feature as people read them: a bin as its range. */
  describe(feature: string): { attribute: string; value: string } {
    const colon = feature.indexOf(':');
    const { attribute, handling, edges } = this.#binnings[Number(feature.slice(0, colon))];
    const value = feature.slice(colon + 1);
    return { attribute, value: handling === 'NUMERICAL' ? describeBin(edges, Number(value)) : value };
  }

  #addFeatures(index: number, value: unknown, found: Set<string>): void {
    const { handling, edges } = this.#binnings[index];
    for (const element of Array.isArray(value) ? value : [value]) {
      if (handling === 'NUMERICAL') {
        if (typeof element === 'number' && Number.isFinite(element)) found.add(`${index}:${binOf(edges, element)}`);
        continue;
      }
      const category = categoryOf(element);
      if (category !== null) found.add(`${index}:${category}`);
    }
  }
}

function categoryOf(value: unknown): string | null {
  if (typeof value === 'string') return value.length > 0 && value.length <= MAX_CATEGORY_LENGTH ? value : null;
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return String(value);
  return null;
}

function binOf(edges: readonly number[], value: number): number {
  let bin = 0;
  while (bin < edges.length && value > edges[bin]) bin++;
  return bin;
}

function describeBin(edges: readonly number[], bin: number): string {
  if (edges.length === 0) return 'any';
  if (bin === 0) return `up to ${edges[0]}`;
  if (bin >= edges.length) return `above ${edges[edges.length - 1]}`;
  return `above ${edges[bin - 1]} up to ${edges[bin]}`;
}
