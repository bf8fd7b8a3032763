// The events of a batch as the store's `history` returns them. Ids behind numbers are read once.
import type { ColumnQuestion } from '../../scoring/column-search.ts';
import type { ListData } from '../../serving/list-of-question.ts';
import type { EventStore, InternedKind } from '../../store/event-store.ts';
import type { BatchEvents } from './user-batch.ts';

export type StoredEvent = ListData['stored'][number];

export class BatchHistories {
  readonly #events: Pick<EventStore, 'internedIds' | 'internedCount'>;
  readonly #datasetId: string;
  readonly #ids: Record<'item' | 'type', string[]> = { item: [], type: [] };

  constructor(events: Pick<EventStore, 'internedIds' | 'internedCount'>, datasetId: string) {
    this.#events = events;
    this.#datasetId = datasetId;
  }

  get names(): ColumnQuestion['names'] {
    return { items: this.#ids.item, types: this.#ids.type };
  }

  /** Reads the ids of a batch. Call it before anything else is done with the batch. */
  async know(batch: BatchEvents): Promise<void> {
    await Promise.all([this.#know('item', batch.item), this.#know('type', batch.type)]);
  }

  /** The events of the n-th user, newest first. */
  of({ offsets, item, type, ts, value }: BatchEvents, n: number): StoredEvent[] {
    const { item: itemIds, type: types } = this.#ids;
    const events: StoredEvent[] = [];
    for (let at = offsets[n + 1] - 1; at >= offsets[n]; at--) {
      const item_no = item[at];
      events.push({
        item_id: itemIds[item_no],
        item_no,
        event_type: types[type[at]],
        event_value: value[at],
        ts: ts[at],
      });
    }
    return events;
  }

  /** An item that came after the ids were read has a higher number. */
  async #know(kind: Extract<InternedKind, 'item' | 'type'>, numbers: Uint32Array): Promise<void> {
    const ids = this.#ids[kind];
    let most = -1;
    for (let n = 0; n < numbers.length; n++) if (numbers[n] > most) most = numbers[n];
    if (most < ids.length) return;
    const to = await this.#events.internedCount(this.#datasetId, kind);
    for await (const more of this.#events.internedIds(this.#datasetId, kind, { from: ids.length, to }))
      for (const id of more) ids.push(id);
  }
}
