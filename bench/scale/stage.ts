// A service that holds the made events of bench/scale.ts.
import type { EventTable } from '../../src/dataset/event-table.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { ServiceProcess } from '../../test/support/service.ts';

const BATCH = 10_000;
const HTTP_BATCH = 1000;
const HTTP_CALLS = 50;
const HTTP_CONNECTIONS = 4;
const GENRES = 20;

export interface Stage {
  service: ServiceProcess;
  project_id: string;
  event_dataset_id: string;
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
  const { event_dataset_id } = await service.ok('POST', '/create-event-dataset', {
    name: 'events',
    num_shards: Math.ceil((table.length * 1.1) / 100_000),
  });
  const { project_id } = await service.ok('POST', '/create-project', {
    ...{ name: 'made', project_type: 'RECOMMEND_ITEMS_TO_USER', target_event_type: 'buy' },
    ...{ user_dataset_id, item_dataset_id, event_dataset_id },
  });
  return { service, project_id, event_dataset_id };
}

/** In the order of time, as events arrive: users mixed. All but the last part by the store's own writer, the rest over HTTP. */
export async function write({ service, event_dataset_id }: Stage, table: EventTable) {
  const { account_id } = await service.ok('GET', '/get-account');
  const order = byTime(table);
  const users = usersOf(table);
  const make = (place: number) => {
    const event = order[place];
    return {
      event_id: `e${event}`,
      user_id: `u${users[event]}`,
      item_id: table.itemIds.at(table.item[event])!,
      ts: table.ts[event],
      event_type: 'buy',
      event_value: 1,
      attributes: {},
    };
  };
  const httpEvents = Math.min(HTTP_CALLS * HTTP_BATCH, Math.floor(table.length / 4));
  const direct = table.length - httpEvents;
  const store = await openStore({ dataDir: service.dataDir });
  const dataset = (await store.datasets.get(account_id, 'event', event_dataset_id))!;
  const startedMs = performance.now();
  const waiting: Promise<unknown>[] = [];
  for (let from = 0; from < direct; from += BATCH) {
    const length = Math.min(BATCH, direct - from);
    waiting.push(
      store.events.upsert(
        dataset,
        Array.from({ length }, (_, n) => make(from + n)),
      ),
    );
    if (waiting.length >= 4) await waiting.shift();
  }
  await Promise.all(waiting);
  const writeSeconds = (performance.now() - startedMs) / 1000;
  await store.close();

  let next = direct;
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
  const httpSecondsPerMillion = (performance.now() - httpMs) / 1000 / (httpEvents / 1e6);
  return { writeSeconds: (writeSeconds * table.length) / direct, httpSecondsPerMillion };
}

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
