// Folds users' stored events into histories, in bulk: the same rules as models/history-folder.ts, on the store's integers
// instead of ids, so that a million users cost no strings. A test holds the two together.
import { entryWeight, eventStrength } from '../../domain/event-weight.ts';
import type { G1Model } from '../../models/g1-model.ts';
import type { HistoryBatch } from './history-batch.ts';
import type { EventColumns } from './user-runs.ts';

/** An item of the event store that neither the model nor the listed catalogue has. */
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
  readonly #place: Uint32Array;
  readonly #placeTurn: Uint32Array;
  readonly #seenTurn: Uint32Array;
  /** items of the present user's target events, each once */
  #seen = new Uint32Array(1024);
  #turn = 0;

  constructor(numbers: EventNumbers, settings: FoldSettings, coldItems: number) {
    this.#numbers = numbers;
    this.#settings = settings;
    this.#weighValues = settings.settings.value_weighting !== 'none';
    const halfLifeDays = settings.settings.half_life_days;
    this.#halfLifeMs = typeof halfLifeDays === 'number' ? halfLifeDays * 86_400_000 : null;
    this.#place = new Uint32Array(settings.warmItemCount);
    this.#placeTurn = new Uint32Array(settings.warmItemCount);
    this.#seenTurn = new Uint32Array(settings.warmItemCount + coldItems);
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
    const turn = this.#nextTurn();
    const start = batch.offsets[batch.count];
    let length = 0;
    let seenCount = 0;
    if (this.#seen.length < to - from) this.#seen = new Uint32Array((to - from) * 2);
    const oldest = Math.max(from, to - historyLimit);
    const newestTs = to === from ? 0 : ts[to - 1];
    for (let at = to - 1; at >= oldest; at--) {
      const isTarget = types[at] === targetType;
      const ofType = typeWeight[types[at]] ?? 0;
      if (!isTarget && !(ofType > 0)) continue;
      const item = itemOf[items[at]] ?? UNKNOWN_ITEM;
      if (item === UNKNOWN_ITEM) continue;
      if (isTarget && this.#seenTurn[item] !== turn) {
        this.#seenTurn[item] = turn;
        this.#seen[seenCount++] = item;
      }
      if (item >= warmItemCount) continue;
      const known = this.#placeTurn[item] === turn;
      if (known && isTarget) batch.seen[this.#place[item]] = 1;
      const value = this.#weighValues ? values[at] : Number(values[at] > 0);
      const strength = eventStrength(ofType, value) * this.#decay(newestTs - ts[at]);
      if (!(strength > 0)) continue;
      if (known) batch.weights[this.#place[item]] += strength;
      else if (length < historyCap) {
        const place = start + length++;
        this.#placeTurn[item] = turn;
        this.#place[item] = place;
        batch.items[place] = item;
        batch.weights[place] = strength;
        batch.seen[place] = isTarget ? 1 : 0;
      }
    }
    for (let place = start; place < start + length; place++) {
      // Most entries are one plain event, which weighs 1: no logarithm is needed for those.
      if (batch.weights[place] !== 1) batch.weights[place] = entryWeight(batch.weights[place]);
    }
    let extras = batch.extraOffsets[batch.count];
    for (let n = 0; n < seenCount; n++) {
      const item = this.#seen[n];
      const inHistory = item < warmItemCount && this.#placeTurn[item] === turn && batch.seen[this.#place[item]] === 1;
      if (!inHistory) batch.extras[extras++] = item;
    }
    batch.count++;
    batch.offsets[batch.count] = start + length;
    batch.extraOffsets[batch.count] = extras;
    return length;
  }

  /** The age of an event is counted from the user's newest. */
  #decay(ageMs: number): number {
    return this.#halfLifeMs === null ? 1 : 2 ** (-ageMs / this.#halfLifeMs);
  }

  #nextTurn(): number {
    if (this.#turn === 0xffff_ffff) {
      this.#placeTurn.fill(0);
      this.#seenTurn.fill(0);
      this.#turn = 0;
    }
    return ++this.#turn;
  }
}
