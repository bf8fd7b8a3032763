// Folds users' stored events into histories, in bulk: the same rules as history/history-folder.ts, on the store's integers
// instead of ids, so that a million users cost no strings. A test holds the two together.

import type { G1Model } from '../../artifact/g1-model.ts';
import { entryWeight, eventStrength } from '../../history/event-weight.ts';
import type { HistoryBatch } from './history-batch.ts';
import type { EventColumns } from './user-runs.ts';

/** An item of the event store that neither the model nor the listed catalog has. */
export const UNKNOWN_ITEM = 0xffff_ffff;

export interface EventNumbers {
  /** of each of the store's item numbers: the warm index, warmItemCount + n for the n-th cold item, or UNKNOWN_ITEM */
  readonly itemOf: Uint32Array;
  /** weight of the store's type numbers, 0 when the model does not count the type */
  readonly typeWeight: Float64Array;
  readonly targetType: number;
}

export type FoldSettings = Pick<G1Model, 'warmItemCount' | 'historyCap' | 'settings'> & {
  /** newest events of a user that are looked at */
  readonly historyLimit: number;
};

export class EventFolder {
  readonly #numbers: EventNumbers;
  readonly #settings: FoldSettings;
  readonly #weighValues: boolean;
  readonly #halfLifeMs: number | null;
  /** place of an item in the batch, valid where its turn is the present one */
  readonly #places: Uint32Array;
  readonly #placeTurn: Uint32Array;
  readonly #otherTurn: Uint32Array;
  /** items of the present user's target events that did not enter the history, each once */
  #others = new Uint32Array(1024);
  #turn = 0;

  constructor(numbers: EventNumbers, settings: FoldSettings, coldItems: number) {
    this.#numbers = numbers;
    this.#settings = settings;
    this.#weighValues = settings.settings.value_weighting !== 'none';
    const halfLifeDays = settings.settings.half_life_days;
    this.#halfLifeMs = typeof halfLifeDays === 'number' ? halfLifeDays * 86_400_000 : null;
    this.#places = new Uint32Array(settings.warmItemCount);
    this.#placeTurn = new Uint32Array(settings.warmItemCount);
    this.#otherTurn = new Uint32Array(settings.warmItemCount + coldItems);
  }

  /**
   * Appends the user whose events are [from, to) of the columns, oldest first, to the batch (which must have room for all of
   * them); answers how many items the history has.
   */
  fold(
    { item: items, type: types, ts, value: values }: EventColumns,
    from: number,
    to: number,
    batch: HistoryBatch,
  ): number {
    const { itemOf, typeWeight, targetType } = this.#numbers;
    const { warmItemCount, historyCap, historyLimit } = this.#settings;
    const { items: entries, weights, seen } = batch;
    const places = this.#places;
    const placeTurn = this.#placeTurn;
    const weighValues = this.#weighValues;
    const decays = this.#halfLifeMs !== null;
    const turn = this.#nextTurn();
    const start = batch.offsets[batch.count];
    let length = 0;
    let otherCount = 0;
    if (this.#others.length < to - from) this.#others = new Uint32Array((to - from) * 2);
    const oldest = Math.max(from, to - historyLimit);
    const newestTs = to === from ? 0 : ts[to - 1];
    for (let at = to - 1; at >= oldest; at--) {
      const isTarget = types[at] === targetType;
      const ofType = typeWeight[types[at]] ?? 0;
      if (!isTarget && !(ofType > 0)) continue;
      const item = itemOf[items[at]] ?? UNKNOWN_ITEM;
      if (item === UNKNOWN_ITEM) continue;
      if (item < warmItemCount) {
        const value = weighValues ? values[at] : Number(values[at] > 0);
        const strength = eventStrength(ofType, value) * (decays ? this.#decay(newestTs - ts[at]) : 1);
        if (placeTurn[item] === turn) {
          if (isTarget) seen[places[item]] = 1;
          if (strength > 0) weights[places[item]] += strength;
          continue;
        }
        if (strength > 0 && length < historyCap) {
          const place = start + length++;
          placeTurn[item] = turn;
          places[item] = place;
          entries[place] = item;
          weights[place] = strength;
          seen[place] = isTarget ? 1 : 0;
          continue;
        }
      }
      if (isTarget && this.#otherTurn[item] !== turn) {
        this.#otherTurn[item] = turn;
        this.#others[otherCount++] = item;
      }
    }
    for (let place = start; place < start + length; place++) {
      // Most entries are one plain event, which weighs 1: no logarithm is needed for those.
      if (weights[place] !== 1) weights[place] = entryWeight(weights[place]);
    }
    let extras = batch.extraOffsets[batch.count];
    for (let n = 0; n < otherCount; n++) {
      const item = this.#others[n];
      // An older event may have brought it in after all.
      const inHistory = item < warmItemCount && placeTurn[item] === turn && seen[places[item]] === 1;
      if (!inHistory) batch.extras[extras++] = item;
    }
    batch.count++;
    batch.offsets[batch.count] = start + length;
    batch.extraOffsets[batch.count] = extras;
    return length;
  }

  /** The age of an event is counted from the user's newest. */
  #decay(ageMs: number): number {
    return 2 ** (-ageMs / this.#halfLifeMs!);
  }

  #nextTurn(): number {
    if (this.#turn === 0xffff_ffff) {
      this.#placeTurn.fill(0);
      this.#otherTurn.fill(0);
      this.#turn = 0;
    }
    return ++this.#turn;
  }
}
