// A service that holds the made events of bench/scale.ts.
import { join } from 'node:path';
import type { EventTable } from '../../src/dataset/event-table.ts';
import { openStore, SQLITE_FILE } from '../../src/store/open-store.ts';
import type { ServiceProcess } from '../../test/support/service.ts';
import { plantEvents, plantedEventId, withUnsafeDatabase } from '../plant-events.ts';

const BATCH = 10_000;
const WRITER_EVENTS = 400_000;
const HTTP_BATCH = 1000;
const HTTP_CALLS = 50;
const HTTP_CONNECTIONS = 4;
const GENRES = 20;

export interface Stage {
  project_id: string;
  event_dataset_id: string;
  num_shards: number;
}

/** Made events in the order of time, as they arrive: users mixed. */
export interface Arrival {
  readonly table: EventTable;
  readonly order: Uint32Array;
  /** How many of them are there before anything is measured. */
  readonly planted: number;
}

export function arrivalOf(table: EventTable): Arrival {
  const measured = Math.min(WRITER_EVENTS + HTTP_CALLS * HTTP_BATCH, table.length / 2);
  return { table, order: byTime(table), planted: table.length - Math.floor(measured) };
}

export async function createProject(service: ServiceProcess, table: EventTable): Promise<Stage> {
  const { user_dataset_id } = await service.ok('POST', '/create-user-dataset', { name: 'users' });
  const { item_dataset_id } = await service.ok('POST', '/create-item-dataset', { name: 'items' });
  for (let from = 0; from < table.itemCount; from += HTTP_BATCH) {
    const items = Array.from({ length: Math.min(HTTP_BATCH, table.itemCount - from) }, (_, n) => ({
      item_id: table.itemIds.at(from + n),
      attributes: { title: `Title ${from + n}`, genre: [`genre-${(from + n) % GENRES}`], price: (from + n) % 1000 },
    }));
    await service.ok('POST', '/upsert-dataset-items', { item_dataset_id, items });
  }
  const num_shards = Math.ceil((table.length * 1.1) / 100_000);
  const { event_dataset_id } = await service.ok('POST', '/create-event-dataset', { name: 'events', num_shards });
  const { project_id } = await service.ok('POST', '/create-project', {
    name: 'made',
    project_type: 'RECOMMEND_ITEMS_TO_USER',
    target_event_type: 'buy',
    user_dataset_id,
    item_dataset_id,
    event_dataset_id,
  });
  return { project_id, event_dataset_id, num_shards };
}

/** The first part of the events, put into the file while no service runs. */
export function plant(
  dataDir: string,
  { event_dataset_id, num_shards }: Stage,
  { table, order, planted }: Arrival,
): void {
  const users = usersOf(table);
  function* events() {
    const event = { user: 0, item: 0, ts: 0 };
    for (let place = 0; place < planted; place++) {
      const at = order[place];
      event.user = users[at];
      event.item = table.item[at];
      event.ts = table.ts[at];
      yield event;
    }
  }
  withUnsafeDatabase(join(dataDir, SQLITE_FILE), (db) => {
    plantEvents(db, {
      dataset: { account_id: '', dataset_id: event_dataset_id, num_shards },
      eventType: 'buy',
      userIds: { length: table.userCount, at: userIdOf },
      itemIds: table.itemIds,
      events: events(),
    });
  });
}

/** The rest: by the store's own writer, as an API node hands batches over, and the last of it over HTTP. */
export async function write(service: ServiceProcess, { event_dataset_id }: Stage, { table, order, planted }: Arrival) {
  const { account_id } = await service.ok('GET', '/get-account');
  const users = usersOf(table);
  const make = (place: number) => {
    const event = order[place];
    return {
      event_id: plantedEventId(place + 1),
      user_id: userIdOf(users[event]),
      item_id: table.itemIds.at(table.item[event])!,
      ts: table.ts[event],
      event_type: 'buy',
      event_value: 1,
      attributes: {},
    };
  };
  const overHttp = Math.min(HTTP_CALLS * HTTP_BATCH, Math.floor((table.length - planted) / 2));
  const byWriter = table.length - planted - overHttp;
  const store = await openStore({ dataDir: service.dataDir });
  const dataset = (await store.datasets.get(account_id, 'event', event_dataset_id))!;
  const startedMs = performance.now();
  const waiting: Promise<unknown>[] = [];
  for (let from = planted; from < planted + byWriter; from += BATCH) {
    const length = Math.min(BATCH, planted + byWriter - from);
    waiting.push(
      store.events.upsert(
        dataset,
        Array.from({ length }, (_, n) => make(from + n)),
      ),
    );
    if (waiting.length >= 4) await waiting.shift();
  }
  await Promise.all(waiting);
  const writerPerSec = (byWriter * 1000) / (performance.now() - startedMs);
  await store.close();

  let next = planted + byWriter;
  const httpMs = performance.now();
  await Promise.all(
    Array.from({ length: HTTP_CONNECTIONS }, async () => {
      while (next < table.length) {
        const from = next;
        next += HTTP_BATCH;
        const events = Array.from({ length: Math.min(HTTP_BATCH, table.length - from) }, (_, n) => make(from + n));
        await service.ok('POST', '/upsert-dataset-events', { event_dataset_id, events });
      }
    }),
  );
  return { writerPerSec, httpPerSec: (overHttp * 1000) / (performance.now() - httpMs) };
}

const userIdOf = (user: number): string => `u${user}`;

function byTime(table: EventTable): Uint32Array {
  // Seconds and place share the 53 bits of one number: numbers sort fast.
  let first = Number.POSITIVE_INFINITY;
  for (const ts of table.ts) first = Math.min(first, ts);
  const places = 2 ** 27;
  const keys = Float64Array.from(table.ts, (ts, event) => Math.floor((ts - first) / 1000) * places + event).sort();
  return Uint32Array.from(keys, (key) => key % places);
}

function usersOf(table: EventTable): Uint32Array {
  const users = new Uint32Array(table.length);
  for (let user = 0; user < table.userCount; user++)
    users.fill(user, table.userOffsets[user], table.userOffsets[user + 1]);
  return users;
}
