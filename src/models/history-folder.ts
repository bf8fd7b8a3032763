// A user's events → the history a scorer reads: distinct items, newest first, each with the weight of its strongest event.
//
// An event counts when its item is warm in the model, its type has a weight and its value is a positive signal. An item is
// seen when the user had a target event with it, whatever the value: who disliked it has seen it too.
// Belongs to one thread; what `fold` answers is overwritten by the next call.
import { valueWeight } from '../domain/event-weight.ts';
import type { G1Model } from './g1-model.ts';
import type { SignalEvent } from './recommender.ts';
import type { ScoringHistory } from './scorer.ts';

export class HistoryFolder {
  readonly #model: G1Model;
  readonly #typeWeights: ReadonlyMap<string, number>;
  readonly #weighValues: boolean;
  readonly #history: { length: number; items: Uint32Array; weights: Float32Array; seen: Uint8Array };
  /** place of a model item in the history being folded, valid where its turn is the present one */
  readonly #place: Uint32Array;
  readonly #turnOf: Uint32Array;
  #turn = 0;

  constructor(model: G1Model) {
    this.#model = model;
    this.#typeWeights = new Map(Object.entries(model.typeWeights));
    this.#weighValues = model.settings.value_weighting !== 'none';
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
    const { itemIds, warmItemCount, targetEventType, historyCap } = this.#model;
    const history = this.#history;
    history.length = 0;
    const turn = this.#nextTurn();
    for (const event of events) {
      const isTarget = event.event_type === targetEventType;
      const typeWeight = this.#typeWeights.get(event.event_type) ?? 0;
      if (!isTarget && !(typeWeight > 0)) continue;
      const index = itemIds.indexOf(event.item_id);
      if (isTarget) onSeen?.(event.item_id, index);
      if (index < 0 || index >= warmItemCount) continue;
      const known = this.#turnOf[index] === turn;
      if (known && isTarget) history.seen[this.#place[index]] = 1;
      const value = valueWeight(event.event_value);
      const weight = value > 0 ? typeWeight * (this.#weighValues ? value : 1) : 0;
      if (!(weight > 0)) continue;
      if (known) {
        const place = this.#place[index];
        if (weight > history.weights[place]) history.weights[place] = weight;
      } else if (history.length < historyCap) {
        const place = history.length++;
        this.#turnOf[index] = turn;
        this.#place[index] = place;
        history.items[place] = index;
        history.weights[place] = weight;
        history.seen[place] = isTarget ? 1 : 0;
      }
    }
    return history;
  }

  #nextTurn(): number {
    if (this.#turn === 0xffff_ffff) {
      this.#turnOf.fill(0);
      this.#turn = 0;
    }
    return ++this.#turn;
  }

  memoryBytes(): number {
    return this.#place.byteLength + this.#turnOf.byteLength + this.#model.historyCap * 9;
  }
}
