// A made project of any size: items with attributes and users with histories, written into the tables at once. Taste is planted
// in groups, so that histories and neighbors overlap as they do in real data. What is measured is serving.
import { join } from 'node:path';
import { ensureFirstAccount } from '../../src/accounts.ts';
import { type Random, seededRandom } from '../../src/base/seeded-random.ts';
import type { Dataset, DatasetKind } from '../../src/domain/dataset.ts';
import type { Attributes, EventRecord } from '../../src/domain/record.ts';
import { openStore, SQLITE_FILE, type StoreConfig } from '../../src/store/open-store.ts';
import { datasetCountTable } from '../../src/store/sqlite/dataset-counts.ts';
import type { Store } from '../../src/store/store.ts';
import { newId } from '../../test/support/new-ids.ts';
import { plantEvents, withUnsafeDatabase } from '../plant-events.ts';

export const MAX_QPS = 1_000_000;
export const GROUP_ITEMS = 500;
/** Records written at once. */
const BATCH = 10_000;
const SHARDS = 1000;
export const itemIdOf = (n: number): string => `item-${n}`;
export const userIdOf = (n: number): string => `user-${n}`;

export interface MadeSize {
  users: number;
  items: number;
  /** on average */
  eventsPerUser: number;
  /** the model also leads from items to items */
  hasRelations?: boolean;
}

export interface MadeProject {
  account_id: string;
  project_id: string;
  event_dataset_id: string;
  item_dataset_id: string;
}

/** In a new data folder, for the account that the service's first start finds there. */
export async function makeProject(place: StoreConfig, size: MadeSize): Promise<MadeProject> {
  const { dataDir } = place;
  const store = await openStore(place);
  await ensureFirstAccount(store.accounts, dataDir, 'http://localhost');
  const { entries } = await store.accounts.list({ page_size: 1, page_token: null });
  const accountId = entries[0].account_id;
  const datasets = {} as Record<DatasetKind, Dataset>;
  for (const kind of ['user', 'item', 'event'] as const) {
    datasets[kind] = {
      account_id: accountId,
      dataset_id: newId(kind),
      kind,
      name: `made ${kind}s`,
      num_shards: SHARDS,
      attribute_schema: null,
      created_ts: Date.now(),
      num_records: 0,
    };
    await store.datasets.create(datasets[kind]);
  }
  const project = {
    account_id: accountId,
    project_id: newId('project'),
    name: 'made',
    project_type: 'RECOMMEND_ITEMS_TO_USER' as const,
    user_dataset_id: datasets.user.dataset_id,
    item_dataset_id: datasets.item.dataset_id,
    event_dataset_id: datasets.event.dataset_id,
    target_event_type: 'buy',
    created_ts: Date.now(),
  };
  await store.projects.create(project);
  // The rate limit is not what is measured.
  await store.accounts.update(accountId, { plan: { max_qps: MAX_QPS } });

  if (place.databaseUrl) await writeRows(store, datasets, size);
  await store.close();
  if (!place.databaseUrl) plantRows(join(dataDir, SQLITE_FILE), datasets, size);
  return project;
}

/** Through the store itself, in batches. */
async function writeRows(store: Store, datasets: Record<DatasetKind, Dataset>, size: MadeSize): Promise<void> {
  for (let n = 0; n < size.items; n += BATCH) {
    const items = Array.from({ length: Math.min(BATCH, size.items - n) }, (_, i) => ({
      id: itemIdOf(n + i),
      attributes: attributesOf(n + i),
    }));
    await store.items.upsert(datasets.item, items);
  }
  let batch: EventRecord[] = [];
  let count = 0;
  for (const { user, item, ts } of events(size)) {
    const ids = { event_id: `e${count++}`, user_id: userIdOf(user), item_id: itemIdOf(item) };
    batch.push({ ...ids, ts, event_type: 'buy', event_value: 1, attributes: {} });
    if (batch.length < BATCH) continue;
    await store.events.upsert(datasets.event, batch);
    batch = [];
  }
  await store.events.upsert(datasets.event, batch);
}

function plantRows(file: string, datasets: Record<DatasetKind, Dataset>, size: MadeSize): void {
  withUnsafeDatabase(file, (db) => {
    const counts = datasetCountTable(db);
    const itemCounts = counts.read(datasets.item);
    const insertItem = db.prepare('INSERT INTO record (dataset_no, id, version, attributes) VALUES (?, ?, ?, ?)');
    for (let n = 0; n < size.items; n++) {
      insertItem.run(itemCounts.dataset_no, itemIdOf(n), n + 1, JSON.stringify(attributesOf(n)));
    }
    counts.write({ ...itemCounts, num_records: size.items, version: size.items });
    plantEvents(db, {
      dataset: datasets.event,
      eventType: 'buy',
      userIds: { length: size.users, at: userIdOf },
      itemIds: { length: size.items, at: itemIdOf },
      events: events(size),
    });
  });
}

function attributesOf(n: number): Attributes {
  return {
    title: `The title of item ${n}`,
    genre: [`genre-${n % 20}`, `genre-${n % 7}`],
    price: n % 1000,
    // n % 2, n % 100 and n % 10 000 are 0 for 50 %, 1 % and 0.01 % of the items
    half: n % 2,
    hundredth: n % 100,
    rare: n % 10_000,
  };
}

/** What somebody touches: mostly items of one group. */
export function tasteOf(random: Random, items: number): () => number {
  const group = random.below(Math.max(1, Math.floor(items / GROUP_ITEMS)));
  return () => {
    const inGroup = random.chance(0.8);
    const item = inGroup
      ? group * GROUP_ITEMS + Math.floor(random.next() ** 2 * GROUP_ITEMS)
      : Math.floor(random.next() ** 2 * items);
    return Math.min(item, items - 1);
  };
}

/** Users one after the other; only what a history is made of. */
function* events({ users, items, eventsPerUser }: MadeSize): Generator<{ user: number; item: number; ts: number }> {
  const random = seededRandom(7);
  const event = { user: 0, item: 0, ts: 1_700_000_000_000 };
  for (let user = 0; user < users; user++) {
    const nextItem = tasteOf(random, items);
    const count = 1 + random.below(2 * eventsPerUser - 1);
    for (let n = 0; n < count; n++) {
      event.item = nextItem();
      event.ts += 10;
      event.user = user;
      yield event;
    }
  }
}
