// A user's events → the history a scorer reads: distinct items, newest first, each with the weight of its events together,
// by the rule training uses (history/event-weight.ts).
//
// An event counts when its item is warm in the model, its type has a weight and its value is a positive signal. An item is
// seen when the user had a target event with it, whatever the value: who disliked it has seen it too.
// Belongs to one thread; what `fold` answers is overwritten by the next call.

import type { G1Model } from '../artifact/g1-model.ts';
import { entryWeight, eventStrength } from './event-weight.ts';
import type { ScoringHistory, SignalEvent } from './user-signal.ts';

/** What of a model decides how events become a history. */
export type HistoryRules = Pick<
  G1Model,
  'itemIds' | 'warmItemCount' | 'targetEventType' | 'typeWeights' | 'historyCap' | 'settings'
>;

/** In `#indexOfNumber`: an index stands there plus this, 0 where none was looked up. */
const LOOKED_UP = 2;

export class HistoryFolder {
  readonly #model: HistoryRules;
  readonly #typeWeights: ReadonlyMap<string, number>;
  readonly #weighValues: boolean;
  readonly #halfLifeMs: number | null;
  readonly #history: { length: number; items: Uint32Array; weights: Float32Array; seen: Uint8Array };
  /** place of a model item in the history being folded, valid where its turn is the present one */
  readonly #place: Uint32Array;
  readonly #turnOf: Uint32Array;
  #turn = 0;
  /** model index by the item's number in the store, see LOOKED_UP */
  #indexOfNumber = new Uint32Array(1024);

  constructor(model: HistoryRules) {
    this.#model = model;
    this.#typeWeights = new Map(Object.entries(model.typeWeights));
    this.#weighValues = model.settings.value_weighting !== 'none';
    const halfLifeDays = model.settings.half_life_days;
    this.#halfLifeMs = typeof halfLifeDays === 'number' ? halfLifeDays * 86_400_000 : null;
    const cap = model.historyCap;
    this.#history = {
      length: 0,
      items: new Uint32Array(cap),
      weights: new Float32Array(cap),
      seen: new Uint8Array(cap),
    };
    this.#place = new Uint32Array(model.warmItemCount);
    this.#turnOf = new Uint32Array(model.warmItemCount);
  }

  /** `onSeen` hears of every target event: its item_id and its model index (−1 when the model does not know the item). */
  fold(events: readonly SignalEvent[], onSeen?: (itemId: string, index: number) => void): ScoringHistory {
    const { warmItemCount, targetEventType, historyCap } = this.#model;
    const history = this.#history;
    history.length = 0;
    const turn = this.#nextTurn();
    const newestTs = events.length === 0 ? 0 : events[0].ts;
    let type = targetEventType;
    let isTarget = true;
    let typeWeight = this.#typeWeights.get(type) ?? 0;
    for (const event of events) {
      if (event.event_type !== type) {
        type = event.event_type;
        isTarget = type === targetEventType;
        typeWeight = this.#typeWeights.get(type) ?? 0;
      }
      if (!isTarget && !(typeWeight > 0)) continue;
      const index = this.#indexOf(event);
      if (isTarget) onSeen?.(event.item_id, index);
      if (index < 0 || index >= warmItemCount) continue;
      const known = this.#turnOf[index] === turn;
      if (known && isTarget) history.seen[this.#place[index]] = 1;
      const value = this.#weighValues ? event.event_value : Number(event.event_value > 0);
      const strength = eventStrength(typeWeight, value) * this.#decay(newestTs - event.ts);
      if (!(strength > 0)) continue;
      if (known) history.weights[this.#place[index]] += strength;
      else if (history.length < historyCap) {
        const place = history.length++;
        this.#turnOf[index] = turn;
        this.#place[index] = place;
        history.items[place] = index;
        history.weights[place] = strength;
        history.seen[place] = isTarget ? 1 : 0;
      }
    }
    for (let place = 0; place < history.length; place++) history.weights[place] = entryWeight(history.weights[place]);
    return history;
  }

  /** The store's events come with numbers: the table of ids is asked once for each. */
  #indexOf({ item_no, item_id }: SignalEvent): number {
    if (item_no === undefined) return this.#model.itemIds.indexOf(item_id);
    if (item_no < this.#indexOfNumber.length) {
      const known = this.#indexOfNumber[item_no];
      if (known !== 0) return known - LOOKED_UP;
    } else {
      const grown = new Uint32Array(Math.max(item_no + 1, this.#indexOfNumber.length * 2));
      grown.set(this.#indexOfNumber);
      this.#indexOfNumber = grown;
    }
    const index = this.#model.itemIds.indexOf(item_id);
    this.#indexOfNumber[item_no] = index + LOOKED_UP;
    return index;
  }

  /** The age of an event is counted from the user's newest. */
  #decay(ageMs: number): number {
    return this.#halfLifeMs === null ? 1 : 2 ** (-ageMs / this.#halfLifeMs);
  }

  #nextTurn(): number {
    if (this.#turn === 0xffff_ffff) {
      this.#turnOf.fill(0);
      this.#turn = 0;
    }
    return ++this.#turn;
  }

  memoryBytes(): number {
    const arrays = this.#place.byteLength + this.#turnOf.byteLength + this.#indexOfNumber.byteLength;
    return arrays + this.#model.historyCap * 9;
  }
}
