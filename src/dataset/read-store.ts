// Streams a dataset's events out of the store in canonical order: integers and floats only; ids are read once at the end, for the
// items that have events. Events that do not fit in memory go to files.

import { grown } from '../base/grown.ts';
import { IdTable } from '../base/id-table.ts';
import { RECORDS_PER_SHARD } from '../domain/dataset.ts';
import type { EventBlock, EventStore } from '../store/event-store.ts';
import { type CanonicalOrder, canonicalOrder, tableOfOrder } from './canonical-order.ts';
import { EventFiles } from './event-files.ts';
import { EventTableBuilder, MAX_TYPES } from './event-table.ts';
import type { ItemRoom } from './kept-items.ts';
import { filesInOrder, type PartRoom } from './ordered-files.ts';
import { heldEvents, type TrainingEvents } from './training-events.ts';
import { NO_ITEM, UnorderedEvents } from './unordered-events.ts';

export type ReadableEvents = Pick<EventStore, 'scan' | 'scansAtOnce' | 'internedIds' | 'internedCount'>;

/** Numbers of the store, which stay while canonical ones change with every event. */
export interface StoreNumbers {
  /** the store's number of each user, and below of each item */
  readonly userNumbers: Uint32Array;
  readonly itemNumbers: Uint32Array;
}

/** Close it in the end: it may be in files. */
export interface StoredEvents extends StoreNumbers, AsyncDisposable {
  readonly events: TrainingEvents;
  /** events read, whatever their value */
  readonly eventsRead: number;
  /** items with events for which there was no room */
  readonly itemsLeftOut: number;
}

const BLOCK_EVENTS = 65_536;
/**
 * Number of scans that read all shards, where there are as many. More would cost a database more, as users lie scattered over its
 * pages; fewer would hold more events in memory before they are in the table.
 */
const SCANS = 16;
/** Most events of one scan, as a share of the events that may be in memory. */
const SCAN_SHARE = 1 / 8;

export interface ReadOptions {
  readonly shards: number;
  readonly targetEventType: string;
  /** if left out, all events are held in memory */
  readonly room?: PartRoom | undefined;
  /** if left out, all items fit */
  readonly itemRoom?: ItemRoom | undefined;
  readonly onProgress?: (fraction: number, eventsRead: number) => void;
  readonly signal?: AbortSignal | undefined;
}

export async function readStoredEvents(
  events: ReadableEvents,
  datasetId: string,
  options: ReadOptions,
): Promise<StoredEvents> {
  const { room = { partEvents: Number.POSITIVE_INFINITY } } = options;
  await using files = new EventFiles(room.folder);
  const { typeNames, typeOf } = await readTypes(events, datasetId, options.targetEventType);
  const names = { itemIds: [], typeNames, targetType: 0 };
  let builder = new EventTableBuilder();
  let userNumbers = new Uint32Array(1024);
  let eventsRead = 0;
  let user = -1;
  for await (const block of scanned(events, datasetId, options)) {
    for (let row = 0; row < block.length; row++) {
      if (block.user[row] !== user) {
        user = block.user[row];
        builder.endUser();
        if (builder.size >= room.partEvents) {
          await files.add(builder.finish(names));
          builder = new EventTableBuilder();
        }
        builder.beginUser();
      }
      if (!builder.add(block.item[row], typeOf[block.type[row]] ?? MAX_TYPES, block.value[row], block.ts[row]))
        continue;
      const last = files.userCount + builder.userCount - 1;
      if (last === userNumbers.length) userNumbers = grown(userNumbers, new Uint32Array(Math.ceil(last * 1.6)));
      userNumbers[last] = user;
    }
    eventsRead += block.length;
  }
  const last = builder.finish(names);
  if (files.partCount > 0 && last.length > 0) await files.add(last);
  const raw = new UnorderedEvents(files.partCount > 0 ? files : last, names);
  const itemNumbers = await compactItems(events, datasetId, raw);
  const read = ({ formerRows, formerItems, itemsLeftOut }: Omit<CanonicalOrder, 'names'>) => ({
    userNumbers: formerRows.map((row) => userNumbers[row]),
    itemNumbers: formerItems.map((item) => itemNumbers[item]),
    eventsRead,
    itemsLeftOut,
  });
  if (files.partCount === 0) {
    const order = await tableOfOrder(raw, options.itemRoom);
    return { events: heldEvents(order.table), ...read(order), [Symbol.asyncDispose]: async () => undefined };
  }
  const order = await canonicalOrder(raw, options.itemRoom);
  return { ...(await filesInOrder(raw, order, room)), ...read(order) };
}

/** The target is type 0; only types that a table has room for are named. `typeOf`: by the store's number. */
async function readTypes(events: ReadableEvents, datasetId: string, targetEventType: string) {
  const typeNames: string[] = [targetEventType];
  const typeOf: number[] = [];
  for await (const block of events.internedIds(datasetId, 'type')) {
    for (const name of block) typeOf.push(name === targetEventType ? 0 : typeNames.push(name) - 1);
  }
  return { typeNames: typeNames.slice(0, MAX_TYPES), typeOf };
}

/** Yields all blocks, shard by shard. */
async function* scanned(
  events: ReadableEvents,
  datasetId: string,
  { shards, room, onProgress, signal }: ReadOptions,
): AsyncGenerator<EventBlock> {
  const scans = scansOf(shards, room?.partEvents ?? Number.POSITIVE_INFINITY);
  let scansDone = 0;
  let eventsRead = 0;
  const read = async (range: ShardRange): Promise<EventBlock[]> => {
    const blocks: EventBlock[] = [];
    for await (const block of events.scan(datasetId, range, BLOCK_EVENTS)) {
      signal?.throwIfAborted();
      blocks.push(copyOf(block));
    }
    return blocks;
  };
  for await (const blocks of readAhead(scans, read, events.scansAtOnce)) {
    signal?.throwIfAborted();
    for (const block of blocks) eventsRead += block.length;
    yield* blocks;
    onProgress?.(++scansDone / scans.length, eventsRead);
  }
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

function scansOf(shards: number, partEvents: number): ShardRange[] {
  const most = Math.max(1, Math.floor((SCAN_SHARE * partEvents) / RECORDS_PER_SHARD));
  const size = Math.min(most, Math.ceil(shards / SCANS));
  return Array.from({ length: Math.ceil(shards / size) }, (_, n) => ({
    from: n * size,
    to: Math.min(shards, (n + 1) * size),
  }));
}

/** Yields the result of `read` for each range, in their order, while several are being read. */
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
      // The consumer gets this error when it reaches the range. If another fails first, this one must not be unhandled.
      started.catch(() => undefined);
      running.push(started);
    }
    while (running.length > 0) yield await running.shift()!;
  } finally {
    await Promise.allSettled(running);
  }
}

/**
 * Replaces the store's item numbers by 0, 1, 2 … over the items that occur, in the store's order, and reads their ids. Returns the
 * number that each had.
 */
async function compactItems(events: ReadableEvents, datasetId: string, raw: UnorderedEvents): Promise<number[]> {
  const numbers = new Uint32Array(await events.internedCount(datasetId, 'item')).fill(NO_ITEM);
  for await (const { length, item } of raw.parts()) {
    for (let event = 0; event < length; event++) numbers[item[event]] = 0;
  }
  const itemIds = new IdTable();
  const former: number[] = [];
  let number = 0;
  for await (const block of events.internedIds(datasetId, 'item')) {
    for (const id of block) {
      if (number < numbers.length && numbers[number] === 0) {
        numbers[number] = itemIds.length;
        former[itemIds.length] = number;
        itemIds.append(id);
      }
      number++;
    }
  }
  raw.itemIds = itemIds;
  raw.renumber('item', numbers);
  return former;
}
