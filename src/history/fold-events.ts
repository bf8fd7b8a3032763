// A user's events → the history that experts are fitted on and that is scored: distinct items, newest first, each with the
// weight of all its events (history-rules.ts). The only place where this is written: training, serving, insight and `evaluate`
// bring their events as columns of numbers.
//
// An event counts if its item is warm, its type has a weight and its value is a positive signal. An item is *seen* after a
// target event, whatever the value: a user who disliked it has seen it too.
// Belongs to one thread.

import { DAY_MS } from '../base/durations.ts';
import { NumberSet } from '../base/number-set.ts';
import { entryWeight, eventStrength, type HistoryRules, MAX_EVENT_VALUE } from './history-rules.ts';

/** Events in columns; those of a user are next to each other, oldest first. */
export interface NumberedEvents {
  readonly item: Uint32Array;
  readonly type: Uint8Array | Uint32Array;
  readonly ts: Float64Array;
  readonly value: Float32Array | Float64Array;
}

/** All events of a user, which are [from, to) of the columns. */
export interface EventRun {
  readonly columns: NumberedEvents;
  readonly from: number;
  readonly to: number;
}

/** The meaning of the numbers in the columns. */
export interface EventNumbers {
  /** number of items that can be part of a history: 0 … warmItemCount − 1 */
  readonly warmItemCount: number;
  /** warm index of each item number, warmItemCount + n for the n-th other item, UNKNOWN_ITEM; null: numbers are indices */
  readonly itemOf: Uint32Array | null;
  /** weight of each type number, 0 or nothing when it does not count */
  readonly typeWeight: ArrayLike<number>;
  /** weights used instead for a user without any event that counts by `typeWeight`; null: such a user has no history */
  readonly typeWeightElse: ArrayLike<number> | null;
  readonly targetType: number;
}

/** The arrays that a history is written to. */
export interface FoldedArrays {
  readonly items: Uint32Array;
  readonly weights: Float32Array;
  readonly seen: Uint8Array;
}

/** Numbers an entry that `own` writes. */
export const OWN_NUMBERS = 4;
/** An item that is neither warm nor listed. */
export const UNKNOWN_ITEM = 0xffff_ffff;

const NOTHING = new Uint32Array(0);

export class EventFolder {
  readonly #rules: HistoryRules;
  readonly #numbers: EventNumbers;
  /** items of the last history, in its order */
  readonly #placed = new NumberSet();
  /** seen items that had no place when they were met */
  readonly #others = new NumberSet();
  #rest: Uint32Array = NOTHING;
  /** time of the newest event that counts, of the last history: ages are counted from it */
  #newestTs = 0;
  /** the type weights that the last fold used */
  #typeWeight: ArrayLike<number> = [];

  constructor(rules: HistoryRules, numbers: EventNumbers) {
    this.#rules = rules;
    this.#numbers = numbers;
  }

  /**
   * Writes the history of the events to `out` from index `start` on, newest first, and returns its length. Times after `nowMs`
   * count as `nowMs`; if left out, no time is later.
   */
  fold(run: EventRun, out: FoldedArrays, start: number, nowMs = Number.POSITIVE_INFINITY): number {
    const { typeWeight, typeWeightElse } = this.#numbers;
    const into = { out, start, nowMs };
    const length = this.#foldBy(typeWeight, run, into);
    return length > 0 || !typeWeightElse ? length : this.#foldBy(typeWeightElse, run, into);
  }

  #foldBy(
    typeWeight: ArrayLike<number>,
    run: EventRun,
    { out, start, nowMs }: { out: FoldedArrays; start: number; nowMs: number },
  ): number {
    const { from, to } = run;
    const { item: items, type: types, ts, value: values } = run.columns;
    const { itemOf, targetType, warmItemCount } = this.#numbers;
    const { items: entries, weights, seen } = out;
    const rules = this.#rules;
    const placed = this.#placed;
    this.#typeWeight = typeWeight;
    placed.clear();
    this.#others.clear();
    this.#newestTs = 0;
    const inverseHalfLife = rules.halfLifeMs === null ? 0 : 1 / rules.halfLifeMs;
    const meanValue = rules.valueShape === 'relative' ? this.#meanValue(run, typeWeight) : 1;
    let length = 0;
    for (let at = to - 1; at >= from; at--) {
      const isTarget = types[at] === targetType;
      const weight = typeWeight[types[at]] ?? 0;
      if (!isTarget && !(weight > 0)) continue;
      const item = itemOf === null ? items[at] : (itemOf[items[at]] ?? UNKNOWN_ITEM);
      if (item === UNKNOWN_ITEM) continue;
      if (item < warmItemCount) {
        let strength = eventStrength(rules, weight, values[at], meanValue);
        if (length === 0) this.#newestTs = Math.min(ts[at], nowMs);
        if (inverseHalfLife > 0) strength *= 2 ** (Math.min(0, ts[at] - this.#newestTs) * inverseHalfLife);
        const known = placed.placeOf(item);
        if (known >= 0) {
          if (isTarget) seen[start + known] = 1;
          weights[start + known] += strength;
          continue;
        }
        if (strength > 0 && length < rules.historyCap) {
          const place = start + length++;
          placed.add(item);
          entries[place] = item;
          weights[place] = strength;
          seen[place] = isTarget ? 1 : 0;
          continue;
        }
      }
      if (isTarget) this.#others.add(item);
    }
    for (let place = start; place < start + length; place++) {
      // Most entries are one plain event, which has weight 1 and needs no logarithm.
      if (weights[place] !== 1) weights[place] = entryWeight(rules, weights[place]);
    }
    this.#splitOthers(seen, start);
    return length;
  }

  /**
   * What the user's own past with each item of the last fold says about the item itself, four numbers an entry: target events
   * by visits, halved every 180 and every 30 days, days since the last one, and the interest in items without one. `gapMs`
   * parts visits. Events that do not count are passed over: serving does not have all of them.
   */
  own({ columns, from, to }: EventRun, gapMs: number, out: Float32Array): void {
    const newestTs = this.#newestTs;
    const length = this.#placed.size * OWN_NUMBERS;
    out.fill(0, 0, length);
    const { item: items, type: types, ts, value: values } = columns;
    const { itemOf, targetType, warmItemCount } = this.#numbers;
    let visit = 0;
    let nextTs = Number.NEGATIVE_INFINITY;
    const visitOf = new Map<number, number>();
    for (let at = to - 1; at >= from; at--) {
      const isTarget = types[at] === targetType;
      if (!isTarget && !(this.#typeWeight[types[at]] > 0)) continue;
      const item = itemOf === null ? items[at] : (itemOf[items[at]] ?? UNKNOWN_ITEM);
      if (item >= warmItemCount || !(values[at] > 0)) continue;
      if (nextTs - ts[at] > gapMs) visit++;
      nextTs = ts[at];
      const known = this.#placed.placeOf(item);
      if (known < 0) continue;
      const place = known * OWN_NUMBERS;
      const ageDays = Math.max(0, newestTs - ts[at]) / DAY_MS;
      if (isTarget) {
        if (visitOf.get(item) === visit) continue;
        if (!visitOf.has(item)) out[place + 2] = Math.log1p(ageDays);
        visitOf.set(item, visit);
        out[place] += 2 ** (-ageDays / 180);
        out[place + 1] += 2 ** (-ageDays / 30);
      } else if (!visitOf.has(item)) {
        out[place + 3] += 1 / (1 + ageDays);
      }
    }
    for (let place = 0; place < length; place += OWN_NUMBERS) {
      // A user who has bought an item no longer counts as interested in it.
      if (out[place] > 0) out[place + 3] = 0;
      for (const n of [0, 1, 3]) out[place + n] = Math.log1p(out[place + n]);
    }
  }

  /** Seen items of the last fold that are not in its history: without a positive value, beyond the cap, or not warm. */
  get others(): Uint32Array {
    return this.#rest;
  }

  memoryBytes(): number {
    return this.#placed.memoryBytes() + this.#others.memoryBytes();
  }

  /** An older event may have brought an item into the history after all: it is marked there, and the others move up. */
  #splitOthers(seen: Uint8Array, start: number): void {
    this.#rest = NOTHING;
    if (this.#others.size === 0) return;
    const others = this.#others.values();
    let kept = 0;
    for (const item of others) {
      const known = this.#placed.placeOf(item);
      if (known >= 0) seen[start + known] = 1;
      else others[kept++] = item;
    }
    this.#rest = others.subarray(0, kept);
  }

  /** Mean of the positive values of events that count; 1 if there are none. */
  #meanValue({ columns, from, to }: EventRun, typeWeight: ArrayLike<number>): number {
    const { item: items, type, value } = columns;
    const { itemOf, warmItemCount } = this.#numbers;
    let sum = 0;
    let count = 0;
    for (let at = from; at < to; at++) {
      if (!(value[at] > 0) || !(typeWeight[type[at]] > 0)) continue;
      if ((itemOf === null ? items[at] : itemOf[items[at]]) >= warmItemCount) continue;
      sum += Math.min(value[at], MAX_EVENT_VALUE);
      count++;
    }
    return count === 0 ? 1 : sum / count;
  }
}

/**
 * The weights of these types. For a user without any event that counts, all types of the model count: they still say more than
 * nothing, for example about a visitor who only viewed items.
 */
export function typeWeights(
  names: readonly string[],
  ofModel: Readonly<Record<string, number>>,
): Pick<EventNumbers, 'typeWeight' | 'typeWeightElse'> {
  const isKnown = (name: string): boolean => Object.hasOwn(ofModel, name);
  const allCount = Object.values(ofModel).every((weight) => weight > 0);
  return {
    typeWeight: names.map((name) => (isKnown(name) ? ofModel[name] : 0)),
    typeWeightElse: allCount ? null : names.map((name) => (isKnown(name) ? 1 : 0)),
  };
}
