// The events of a batch as the store's `history` returns them. Ids behind numbers are read once.
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

  /** Of each user, newest first. */
  async read(batch: BatchEvents): Promise<StoredEvent[][]> {
    await Promise.all([this.#know('item', batch.item), this.#know('type', batch.type)]);
    const { item: itemIds, type: types } = this.#ids;
    const { offsets, item, type, ts, value } = batch;
    const histories: StoredEvent[][] = [];
    for (let user = 0; user + 1 < offsets.length; user++) {
      const events: StoredEvent[] = [];
      for (let at = offsets[user + 1] - 1; at >= offsets[user]; at--) {
        const item_no = item[at];
        events.push({
          item_id: itemIds[item_no],
          item_no,
          event_type: types[type[at]],
          event_value: value[at],
          ts: ts[at],
        });
      }
      histories.push(events);
    }
    return histories;
  }

  /** An item that came after the ids were read has a higher number. */
  async #know(kind: Extract<InternedKind, 'item' | 'type'>, numbers: Uint32Array): Promise<void> {
    const ids = this.#ids[kind];
    let most = -1;
    for (const number of numbers) if (number > most) most = number;
    if (most < ids.length) return;
    const to = await this.#events.internedCount(this.#datasetId, kind);
    for await (const more of this.#events.internedIds(this.#datasetId, kind, { from: ids.length, to }))
      for (const id of more) ids.push(id);
  }
}
