// Summarizes a dataset's attributes from records passed one by one: handling, range, most frequent values. Memory is bounded
// for any data: beyond a number of attributes, and of distinct values per attribute and in total, no new ones are counted.
import { inferHandling } from './attribute-handling.ts';
import type { AttributeHandling, AttributeSchema } from './dataset.ts';
import type { Attributes } from './record.ts';

const MAX_ATTRIBUTES = 1000;
const MAX_DISTINCT = 1000;
const MAX_DISTINCT_IN_ALL = 100_000;
const TOP_VALUES = 20;
const HISTOGRAM_BINS = 20;
const MAX_SHOWN_LENGTH = 200;
/** Size of the response; beyond it further attributes are omitted. */
const MAX_SCHEMA_LENGTH = 64 * 1024;
const MAX_STATISTICS_LENGTH = 2 * 1024 * 1024;

export interface AttributeStatistics {
  attribute: string;
  handling: AttributeHandling;
  /** Number of records that have a value. */
  records: number;
  distinct: number;
  /** True if more distinct values exist than were counted. */
  distinct_is_lower_bound: boolean;
  min: number | null;
  max: number | null;
  mean: number | null;
  top_values: { value: string | number | boolean; count: number }[];
  /** For numbers: bins of equal width over [min, max]. */
  histogram: { from: number; to: number; count: number }[];
}

interface Profile {
  records: number;
  numbers: number;
  others: number;
  onlyIntegers: boolean;
  min: number;
  max: number;
  sum: number;
  counts: Map<string | number | boolean, number>;
  overflowed: boolean;
}

export class AttributeSummary {
  readonly #profiles = new Map<string, Profile>();
  #records = 0;
  #distinct = 0;

  get records(): number {
    return this.#records;
  }

  add(attributes: Attributes): void {
    this.#records++;
    for (const name of Object.keys(attributes)) {
      const value = attributes[name];
      if (value === null) continue;
      const profile = this.#profileOf(name);
      if (!profile) continue;
      profile.records++;
      const before = profile.counts.size;
      const mayGrow = this.#distinct < MAX_DISTINCT_IN_ALL;
      if (Array.isArray(value)) for (const element of value) addValue(profile, element, { inArray: true, mayGrow });
      else addValue(profile, value, { inArray: false, mayGrow });
      this.#distinct += profile.counts.size - before;
    }
  }

  schema(): AttributeSchema {
    const entries = [...this.#profiles].map(([name, profile]): [string, AttributeHandling] => [
      name,
      handlingOf(profile),
    ]);
    return Object.fromEntries(upTo(MAX_SCHEMA_LENGTH, entries));
  }

  statistics(declared: AttributeSchema | null): AttributeStatistics[] {
    const statistics = [...this.#profiles].map(([attribute, profile]): AttributeStatistics => {
      const handling = (declared && Object.hasOwn(declared, attribute) && declared[attribute]) || handlingOf(profile);
      const top = [...profile.counts].sort((a, b) => b[1] - a[1]).slice(0, TOP_VALUES);
      return {
        attribute,
        handling,
        records: profile.records,
        distinct: profile.counts.size,
        distinct_is_lower_bound: profile.overflowed,
        min: profile.numbers > 0 ? profile.min : null,
        max: profile.numbers > 0 ? profile.max : null,
        mean: profile.numbers > 0 ? profile.sum / profile.numbers : null,
        top_values: top.map(([value, count]) => ({ value, count })),
        histogram: handling === 'NUMERICAL' ? histogramOf(profile) : [],
      };
    });
    return upTo(MAX_STATISTICS_LENGTH, statistics);
  }

  #profileOf(name: string): Profile | undefined {
    let profile = this.#profiles.get(name);
    if (!profile && this.#profiles.size < MAX_ATTRIBUTES) {
      profile = {
        records: 0,
        numbers: 0,
        others: 0,
        onlyIntegers: true,
        min: Number.POSITIVE_INFINITY,
        max: Number.NEGATIVE_INFINITY,
        sum: 0,
        counts: new Map(),
        overflowed: false,
      };
      this.#profiles.set(name, profile);
    }
    return profile;
  }
}

/** The first entries that fit into that length as JSON. */
function upTo<T>(maxLength: number, entries: readonly T[]): T[] {
  let length = 0;
  return entries.filter((entry) => {
    length += JSON.stringify(entry).length;
    return length <= maxLength;
  });
}

function addValue(
  profile: Profile,
  value: unknown,
  { inArray, mayGrow }: { inArray: boolean; mayGrow: boolean },
): void {
  if (typeof value === 'number' && !inArray) {
    profile.numbers++;
    profile.onlyIntegers &&= Number.isInteger(value);
    profile.min = Math.min(profile.min, value);
    profile.max = Math.max(profile.max, value);
    profile.sum += value;
  } else {
    profile.others++;
  }
  if (typeof value === 'object' || value === undefined) return;
  const shown = typeof value === 'string' ? shortened(value) : (value as number | boolean);
  const count = profile.counts.get(shown);
  if (count !== undefined) profile.counts.set(shown, count + 1);
  else if (mayGrow && profile.counts.size < MAX_DISTINCT) profile.counts.set(shown, 1);
  else profile.overflowed = true;
}

/** A copy, because a slice keeps the whole text in memory. */
function shortened(text: string): string {
  return text.length <= MAX_SHOWN_LENGTH ? text : Buffer.from(text.slice(0, MAX_SHOWN_LENGTH)).toString();
}

function handlingOf({ counts, ...profile }: Profile): AttributeHandling {
  return inferHandling({ ...profile, distinct: counts.size });
}

/** Made from the counted values. If not all distinct values were counted, it shows the first of them. */
function histogramOf({ min, max, counts }: Profile): AttributeStatistics['histogram'] {
  // There are no numbers, or their range exceeds what a number can hold.
  if (!Number.isFinite(max - min)) return [];
  const width = (max - min) / HISTOGRAM_BINS || 1;
  const bins = Array.from({ length: max === min ? 1 : HISTOGRAM_BINS }, (_, index) => ({
    from: min + index * width,
    to: index === HISTOGRAM_BINS - 1 || max === min ? max : min + (index + 1) * width,
    count: 0,
  }));
  for (const [value, count] of counts) {
    if (typeof value !== 'number') continue;
    bins[Math.min(bins.length - 1, Math.floor((value - min) / width))].count += count;
  }
  return bins;
}
