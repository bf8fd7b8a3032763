// Collects what usage maps are fitted on (fit-usage-maps.ts): for each held-out question the share of every attribute value in the
// distribution over the catalog, and in what came. Only values that came often enough are followed, and as many as a bounded
// table holds: the most frequent first.
import type { IdIndex } from '../dataset/event-table.ts';
import type { EntityRecord } from '../domain/record.ts';
import { recordlessRule } from '../scoring/listed-items.ts';
import type { ValueEvidence } from './fit-usage-maps.ts';

export type ItemBlocks = () => AsyncIterable<readonly EntityRecord[]>;
type Value = ValueEvidence['value'];

const MIN_EVENTS = 30;
const MAX_VALUES_PER_ATTRIBUTE = 200;
/** Limit of values times questions, which bounds memory. */
const MAX_TABLE = 1_000_000;
const MAX_ATTRIBUTES = 1000;
/** Longer texts (descriptions) are not values that users query. */
const MAX_VALUE_CHARACTERS = 200;

interface Followed {
  readonly attribute: string;
  readonly value: Value;
  readonly events: number;
}

export class UsageEvidence {
  /** number of questions */
  readonly questions: number;
  readonly #followed: readonly Followed[];
  /** 1: the item may be recommended. Usages are shares of these, with or without a record. */
  readonly #listed: Uint8Array;
  /** followed values of each warm item */
  readonly #offsets: Uint32Array;
  readonly #values: Uint32Array;
  readonly #said: Float32Array[] = [];
  readonly #seen: Float32Array[] = [];

  private constructor(
    questions: number,
    followed: readonly Followed[],
    { listed, offsets, values }: { listed: Uint8Array; offsets: Uint32Array; values: Uint32Array },
  ) {
    this.questions = questions;
    this.#followed = followed;
    this.#listed = listed;
    this.#offsets = offsets;
    this.#values = values;
  }

  /** `targetCounts`: how often each warm item came in the questions. null when no value came often enough. */
  static async begin(
    items: ItemBlocks,
    itemIds: IdIndex,
    targetCounts: Uint32Array,
    questions: number,
  ): Promise<UsageEvidence | null> {
    const { counts, listed } = await countValues(items, itemIds, targetCounts);
    const followed = choose(counts, Math.floor(MAX_TABLE / Math.max(1, questions)));
    if (followed.length === 0) return null;
    const { offsets, values } = await valuesOfItems(items, itemIds, targetCounts.length, followed);
    return new UsageEvidence(questions, followed, { listed, offsets, values });
  }

  isListed(item: number): boolean {
    return this.#listed[item] === 1;
  }

  /** A question: the mass of each warm item, 0 for those that cannot come next, and what came. */
  add(masses: ArrayLike<number>, targets: ArrayLike<number>): void {
    const said = this.#sharesOf(masses);
    const seen = this.#sharesAmong(targets);
    if (said === null || seen === null) return;
    this.#said.push(said);
    this.#seen.push(seen);
  }

  /** `popularity`: of each warm item. */
  finish(popularity: ArrayLike<number>): ValueEvidence[] {
    const population = this.#sharesOf(popularity);
    if (population === null) return [];
    return this.#followed.map((followed, n) => ({
      ...followed,
      population: population[n],
      said: Float32Array.from(this.#said, (shares) => shares[n]),
      seen: Float32Array.from(this.#seen, (shares) => shares[n]),
    }));
  }

  #sharesOf(masses: ArrayLike<number>): Float32Array | null {
    const sums = new Float64Array(this.#followed.length);
    let total = 0;
    for (let item = 0; item < this.#listed.length; item++) {
      const mass = this.#listed[item] * masses[item];
      if (mass === 0) continue;
      total += mass;
      for (let at = this.#offsets[item]; at < this.#offsets[item + 1]; at++) sums[this.#values[at]] += mass;
    }
    return total > 0 ? Float32Array.from(sums, (sum) => sum / total) : null;
  }

  #sharesAmong(targets: ArrayLike<number>): Float32Array | null {
    const shares = new Float32Array(this.#followed.length);
    let count = 0;
    for (let n = 0; n < targets.length; n++) {
      if (targets[n] >= this.#listed.length || this.#listed[targets[n]] === 0) continue;
      count++;
      for (let at = this.#offsets[targets[n]]; at < this.#offsets[targets[n] + 1]; at++) shares[this.#values[at]]++;
    }
    return count > 0 ? shares.map((sum) => sum / count) : null;
  }
}

/** Counts how often each value occurs among the targets, and finds the warm items that may be recommended. */
async function countValues(items: ItemBlocks, itemIds: IdIndex, targetCounts: Uint32Array) {
  const counts = new Map<string, Map<Value, number>>();
  const listed = new Uint8Array(targetCounts.length);
  for await (const block of items()) {
    for (const { id, attributes } of block) {
      const item = itemIds.indexOf(id);
      if (item < 0 || item >= targetCounts.length) continue;
      listed[item] = 1;
      if (targetCounts[item] === 0) continue;
      eachValue(attributes, (attribute, value) => {
        const own = counts.get(attribute) ?? new Map<Value, number>();
        if (own.size === 0 && counts.size >= MAX_ATTRIBUTES) return;
        counts.set(attribute, own.set(value, (own.get(value) ?? 0) + targetCounts[item]));
      });
    }
  }
  const records = listed.reduce((sum, one) => sum + one, 0);
  if (recordlessRule(listed.length, records) === 'all') listed.fill(1);
  return { counts, listed };
}

/** Finds the followed values of each warm item. */
async function valuesOfItems(items: ItemBlocks, itemIds: IdIndex, warmCount: number, followed: readonly Followed[]) {
  const numberOf = new Map<string, Map<Value, number>>();
  for (const [n, { attribute, value }] of followed.entries()) {
    numberOf.set(attribute, (numberOf.get(attribute) ?? new Map<Value, number>()).set(value, n));
  }
  const rows: (number[] | undefined)[] = Array.from({ length: warmCount });
  for await (const block of items()) {
    for (const { id, attributes } of block) {
      const item = itemIds.indexOf(id);
      if (item < 0 || item >= warmCount) continue;
      const row: number[] = [];
      eachValue(attributes, (attribute, value) => {
        const number = numberOf.get(attribute)?.get(value);
        if (number !== undefined) row.push(number);
      });
      rows[item] = row;
    }
  }
  const offsets = new Uint32Array(warmCount + 1);
  for (let item = 0; item < warmCount; item++) offsets[item + 1] = offsets[item] + (rows[item]?.length ?? 0);
  const values = new Uint32Array(offsets[warmCount]);
  for (let item = 0; item < warmCount; item++) values.set(rows[item] ?? [], offsets[item]);
  return { offsets, values };
}

function choose(counts: ReadonlyMap<string, ReadonlyMap<Value, number>>, most: number): Followed[] {
  const followed: Followed[] = [];
  for (const [attribute, values] of counts) {
    const frequent = [...values].filter(([, events]) => events >= MIN_EVENTS).sort((a, b) => b[1] - a[1]);
    for (const [value, events] of frequent.slice(0, MAX_VALUES_PER_ATTRIBUTE))
      followed.push({ attribute, value, events });
  }
  return followed.sort((a, b) => b.events - a.events).slice(0, most);
}

/** Distinct values, those of an array one by one. */
function eachValue(attributes: EntityRecord['attributes'], visit: (attribute: string, value: Value) => void): void {
  for (const [attribute, value] of Object.entries(attributes)) {
    for (const element of Array.isArray(value) ? new Set<unknown>(value) : [value]) {
      if (typeof element === 'string' && element.length <= MAX_VALUE_CHARACTERS) visit(attribute, element);
      else if (typeof element === 'boolean' || typeof element === 'number') visit(attribute, element);
    }
  }
}
