// Streams a dataset's events out of the store into an event table in canonical order: integers and floats only; ids are read once at
// the end, for the items that have events.
import { IdTable } from '../domain/id-table.ts';
import type { EventBlock, EventStore } from '../store/event-store.ts';
import { inCanonicalOrder } from './canonical-order.ts';
import { type Dislikes, type EventTable, EventTableBuilder } from './event-table.ts';

export type ReadableEvents = Pick<EventStore, 'scan' | 'scansAtOnce' | 'internedIds' | 'internedCount'>;

export interface StoredEvents {
  readonly table: EventTable;
  /** the store's number of each user of the table */
  readonly userNumbers: Uint32Array;
  /** events read, whatever their value */
  readonly eventsRead: number;
}

const BLOCK_EVENTS = 65_536;
/**
 * So many scans read all shards, where there are as many. More would cost a database more, as users lie scattered over its
 * pages; fewer would hold more events in memory before they are in the table.
 */
const SCANS = 16;

export async function readStoredEvents(
  events: ReadableEvents,
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
  const scans = scansOf(options.shards);
  let scansDone = 0;
  const read = async (shards: ShardRange): Promise<EventBlock[]> => {
    const blocks: EventBlock[] = [];
    for await (const block of events.scan(datasetId, shards, BLOCK_EVENTS)) {
      options.signal?.throwIfAborted();
      blocks.push(copyOf(block));
    }
    return blocks;
  };
  for await (const blocks of readAhead(scans, read, events.scansAtOnce)) {
    options.signal?.throwIfAborted();
    for (const block of blocks) {
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
    options.onProgress?.(++scansDone / scans.length, eventsRead);
  }
  const raw = builder.finish({ itemIds: [], typeNames, targetType: 0, itemCount: 0 });
  const itemIds = await compactItems(events, datasetId, raw);
  const dislikes = withItems(raw.dislikes!, itemIds.length);
  const { table, formerRows } = inCanonicalOrder({ ...raw, itemIds, itemCount: itemIds.length, dislikes });
  return { table, userNumbers: formerRows.map((row) => userNumbers[row]), eventsRead };
}

function copyOf({ length, user, item, type, ts, value }: EventBlock): EventBlock {
  return {
    length,
    user: user.slice(),
    item: item.slice(),
    type: type.slice(),
    ts: ts.slice(),
    value: value.slice(),
  };
}

interface ShardRange {
  readonly from: number;
  readonly to: number;
}

function scansOf(shards: number): ShardRange[] {
  const size = Math.ceil(shards / SCANS);
  return Array.from({ length: Math.ceil(shards / size) }, (_, n) => ({
    from: n * size,
    to: Math.min(shards, (n + 1) * size),
  }));
}

/** What `read` makes of each range, in their order, however many are being read at once. */
async function* readAhead<T>(
  ranges: readonly ShardRange[],
  read: (range: ShardRange) => Promise<T>,
  atOnce: number,
): AsyncGenerator<T> {
  const running: Promise<T>[] = [];
  try {
    for (const range of ranges) {
      if (running.length === atOnce) yield await running.shift()!;
      const started = read(range);
      // Whoever waits for it hears of a failure; nobody may wait for it when another fails first.
      started.catch(() => undefined);
      running.push(started);
    }
    while (running.length > 0) yield await running.shift()!;
  } finally {
    await Promise.allSettled(running);
  }
}

/** Replaces the store's item numbers by 0, 1, 2 … over the items that occur, in the store's order, and reads their ids. */
async function compactItems(events: ReadableEvents, datasetId: string, table: EventTable): Promise<IdTable> {
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
  const { item: disliked } = table.dislikes!;
  for (let n = 0; n < disliked.length; n++) disliked[n] = indexOf[disliked[n]];
  return itemIds;
}

/** Dislikes of items that only were disliked say nothing of other items. */
function withItems({ user, item, ts }: Dislikes, itemCount: number): Dislikes {
  const known = (_: unknown, n: number) => item[n] < itemCount;
  return { user: user.filter(known), item: item.filter(known), ts: ts.filter(known) };
}
