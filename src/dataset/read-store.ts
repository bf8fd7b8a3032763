// Streams a dataset's events out of the store into an event table: integers and floats only; ids are read once at the end,
// for the items that have events.
import { IdTable } from '../domain/id-table.ts';
import type { EventStore } from '../store/event-store.ts';
import { type EventTable, EventTableBuilder } from './event-table.ts';

export interface StoredEvents {
  readonly table: EventTable;
  /** the store's number of each user of the table */
  readonly userNumbers: Uint32Array;
  /** events read, whatever their value */
  readonly eventsRead: number;
}

const BLOCK_EVENTS = 65_536;
/** Shards read by one scan; between scans the listener is told. */
const SHARDS_PER_SCAN = 8;

export async function readStoredEvents(
  events: EventStore,
  datasetId: string,
  options: {
    shards: number;
    targetEventType: string;
    onProgress?: (fraction: number, eventsRead: number) => void;
    signal?: AbortSignal;
  },
): Promise<StoredEvents> {
  const typeNames: string[] = [options.targetEventType];
  const typeOf: number[] = [];
  for await (const block of events.internedIds(datasetId, 'type')) {
    for (const name of block) typeOf.push(name === options.targetEventType ? 0 : typeNames.push(name) - 1);
  }
  const builder = new EventTableBuilder();
  const userNumbers: number[] = [];
  let eventsRead = 0;
  let user = -1;
  for (let from = 0; from < options.shards; from += SHARDS_PER_SCAN) {
    options.signal?.throwIfAborted();
    const to = Math.min(options.shards, from + SHARDS_PER_SCAN);
    for await (const block of events.scan(datasetId, { from, to }, BLOCK_EVENTS)) {
      options.signal?.throwIfAborted();
      for (let row = 0; row < block.length; row++) {
        if (block.user[row] !== user) {
          user = block.user[row];
          builder.beginUser();
        }
        if (!builder.add(block.item[row], typeOf[block.type[row]] ?? 255, block.value[row], block.ts[row])) continue;
        if (userNumbers.length < builder.userCount) userNumbers.push(user);
        else if (userNumbers[builder.userCount - 1] !== user) userNumbers[builder.userCount - 1] = user;
      }
      eventsRead += block.length;
    }
    options.onProgress?.(to / options.shards, eventsRead);
  }
  const raw = builder.finish({ itemIds: [], typeNames, targetType: 0, itemCount: 0 });
  const itemIds = await compactItems(events, datasetId, raw);
  const table = { ...raw, itemIds, itemCount: itemIds.length };
  return { table, userNumbers: Uint32Array.from(userNumbers.slice(0, table.userCount)), eventsRead };
}

/** Replaces the store's item numbers by 0, 1, 2 … over the items that occur, in the store's order, and reads their ids. */
async function compactItems(events: EventStore, datasetId: string, table: EventTable): Promise<IdTable> {
  const indexOf = new Int32Array(await events.internedCount(datasetId, 'item')).fill(-1);
  for (let event = 0; event < table.length; event++) indexOf[table.item[event]] = 0;
  const itemIds = new IdTable();
  let number = 0;
  for await (const block of events.internedIds(datasetId, 'item')) {
    for (const id of block) {
      if (number < indexOf.length && indexOf[number] === 0) indexOf[number] = itemIds.intern(id);
      number++;
    }
  }
  for (let event = 0; event < table.length; event++) table.item[event] = indexOf[table.item[event]];
  return itemIds;
}
