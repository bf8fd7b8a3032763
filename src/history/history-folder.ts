// A user's events as the store returns them → the history a scorer reads. Turns ids and names into numbers; how events are
// weighed is in fold-events.ts.
// Belongs to one thread; what `fold` returns is overwritten by the next call.

import type { G1Model } from '../artifact/g1-model.ts';
import { doubled } from '../base/grown.ts';
import { eventRoom } from './event-room.ts';
import { EventFolder, type EventRun, OWN_NUMBERS, typeWeights } from './fold-events.ts';
import { historyRulesOf } from './history-rules.ts';
import type { ScoringHistory, SignalEvent } from './user-signal.ts';

/** The parts of a model that decide how events become a history. */
export type HistoryModel = Pick<
  G1Model,
  'itemIds' | 'warmItemCount' | 'targetEventType' | 'typeWeights' | 'historyCap' | 'settings' | 'objectives'
> & {
  /** The model's index of a number of the catalog; left out: events have none. */
  readonly indexOfItem?: (item: number) => number;
};

/** Ids and types by the store's numbers. Numbers keep their meaning; new ones are added at the end. */
export interface StoredNames {
  readonly items: readonly string[];
  readonly types: readonly string[];
}

/** `#indexOfNumber` stores each index plus this number; 0 means not looked up yet. */
const LOOKED_UP = 2;
/** The number of the target type; others follow. */
const TARGET = 0;

export class HistoryFolder {
  readonly #model: HistoryModel;
  readonly #folder: EventFolder;
  /** number of each type that the model knows: the target, those that count, then others */
  readonly #types: ReadonlyMap<string, number>;
  readonly #counting: number;
  readonly #history: ScoringHistory & { own: Float32Array | null };
  #columns = eventRoom(64);
  /** model index by the item's number in the store, see LOOKED_UP */
  #indexOfNumber = new Uint32Array(1024);
  /** type of the model by the type's number in the store */
  readonly #typeOfNumbers: number[] = [];

  constructor(model: HistoryModel) {
    this.#model = model;
    const others = Object.keys(model.typeWeights).filter((name) => name !== model.targetEventType);
    const counting = others.filter((name) => model.typeWeights[name] > 0);
    const names = [model.targetEventType, ...counting, ...others.filter((name) => !counting.includes(name))];
    this.#counting = 1 + counting.length;
    this.#types = new Map(names.map((name, type) => [name, type]));
    this.#folder = new EventFolder(historyRulesOf(model), {
      warmItemCount: model.warmItemCount,
      itemOf: null,
      ...typeWeights(names, model.typeWeights),
      targetType: TARGET,
    });
    const cap = model.historyCap;
    this.#history = {
      length: 0,
      items: new Uint32Array(cap),
      weights: new Float32Array(cap),
      seen: new Uint8Array(cap),
      // Only a model that recommends users' own items has learned how to use their past with them.
      own: model.objectives?.auto === 'any' ? new Float32Array(cap * OWN_NUMBERS) : null,
    };
  }

  /** `events` come newest first. `nowMs`: as of EventFolder.fold. */
  fold(events: readonly SignalEvent[], nowMs?: number): ScoringHistory {
    if (events.length > this.#columns.item.length) this.#columns = eventRoom(events.length * 2);
    return this.#folded((types) => this.#runOf(events, types), nowMs);
  }

  /** Like `fold`, for columns with the store's numbers. */
  foldStored(run: EventRun, names: StoredNames, nowMs?: number): ScoringHistory {
    const length = run.to - run.from;
    if (length > this.#columns.item.length) this.#columns = eventRoom(length * 2);
    return this.#folded((types) => this.#runOfStored(run, names, types), nowMs);
  }

  /** `runOf`: of the events with a type below a number. Most users have some that count: the others are not looked up for them. */
  #folded(runOf: (types: number) => EventRun, nowMs: number | undefined): ScoringHistory {
    let run = runOf(this.#counting);
    this.#history.length = this.#folder.fold(run, this.#history, 0, nowMs);
    if (this.#history.length === 0 && this.#types.size > this.#counting) {
      run = runOf(this.#types.size);
      this.#history.length = this.#folder.fold(run, this.#history, 0, nowMs);
    }
    const { own } = this.#history;
    if (own !== null) this.#folder.own(run, this.#model.objectives!.visitGapMs, own);
    return this.#history;
  }

  #runOf(events: readonly SignalEvent[], types: number): EventRun {
    const columns = this.#columns;
    const room = columns.item.length;
    const { targetEventType, warmItemCount } = this.#model;
    let name = targetEventType;
    let type: number | undefined = TARGET;
    // Filled from the end to the beginning, because columns are oldest first.
    let at = room;
    for (const event of events) {
      if (event.event_type !== name) {
        name = event.event_type;
        type = this.#types.get(name);
      }
      if (type === undefined || type >= types) continue;
      const index = this.indexOf(event);
      if (index < 0 || index >= warmItemCount) continue;
      at--;
      columns.item[at] = index;
      columns.type[at] = type;
      columns.ts[at] = event.ts;
      columns.value[at] = event.event_value;
    }
    return { columns, from: at, to: room };
  }

  #runOfStored({ columns: stored, from, to }: EventRun, names: StoredNames, types: number): EventRun {
    const columns = this.#columns;
    const { warmItemCount } = this.#model;
    let end = 0;
    for (let at = from; at < to; at++) {
      const type = this.#typeOfNumber(stored.type[at], names);
      if (type < 0 || type >= types) continue;
      const index = this.indexOfStored(stored.item[at], names);
      if (index < 0 || index >= warmItemCount) continue;
      columns.item[end] = index;
      columns.type[end] = type;
      columns.ts[end] = stored.ts[at];
      columns.value[end] = stored.value[at];
      end++;
    }
    return { columns, from: 0, to: end };
  }

  /**
   * The model's index of the event's item; one that has no history when the model does not know it. The store's events come with
   * numbers: the table of ids is asked once for each.
   */
  indexOf({ item, item_no, item_id }: SignalEvent): number {
    const { indexOfItem } = this.#model;
    if (item !== undefined && indexOfItem) return item < 0 ? -1 : indexOfItem(item);
    if (item_no === undefined) return this.#model.itemIds.indexOf(item_id);
    return this.#knownIndex(item_no) ?? this.#lookUp(item_no, item_id);
  }

  /** Like `indexOf`, for an item of a run. */
  indexOfStored(item_no: number, { items }: StoredNames): number {
    return this.#knownIndex(item_no) ?? this.#lookUp(item_no, items[item_no]);
  }

  /** Undefined: not looked up yet. */
  #knownIndex(item_no: number): number | undefined {
    const known = item_no < this.#indexOfNumber.length ? this.#indexOfNumber[item_no] : 0;
    return known === 0 ? undefined : known - LOOKED_UP;
  }

  #lookUp(item_no: number, item_id: string): number {
    if (item_no >= this.#indexOfNumber.length) this.#indexOfNumber = doubled(this.#indexOfNumber, item_no + 1);
    const index = this.#model.itemIds.indexOf(item_id);
    this.#indexOfNumber[item_no] = index + LOOKED_UP;
    return index;
  }

  /** The number of the store's type here; −1 when the model does not know it. */
  #typeOfNumber(number: number, { types }: StoredNames): number {
    this.#typeOfNumbers[number] ??= this.#types.get(types[number]) ?? -1;
    return this.#typeOfNumbers[number];
  }

  memoryBytes(): number {
    return this.#folder.memoryBytes() + this.#indexOfNumber.byteLength + this.#model.historyCap * (9 + 4 * OWN_NUMBERS);
  }
}
