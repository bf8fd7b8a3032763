// A made project of any size: users with histories, items with attributes and a fitted model of the usual shape (three
// item-to-item experts with 100 neighbours an item, and popularity). Taste is planted in groups, so that histories and
// neighbours overlap as they do in real data. Nothing is trained: what is measured is serving.

import type { Dataset, DatasetKind } from '../../src/domain/dataset.ts';
import { newId } from '../../src/domain/ids.ts';
import type { EntityRecord, EventRecord } from '../../src/domain/record.ts';
import type { G1Model, SparseRows } from '../../src/models/g1-model.ts';
import { openStore } from '../../src/store/open-store.ts';

export const NEIGHBOURS = 100;
export const MAX_QPS = 1_000_000;
const GROUP_ITEMS = 500;
const BATCH = 10_000;

export interface MadeSize {
  users: number;
  items: number;
  /** on average */
  eventsPerUser: number;
}

export interface MadeProject {
  account_id: string;
  project_id: string;
  event_dataset_id: string;
  item_dataset_id: string;
}

/** Small, fast, the same everywhere. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export async function makeProject(dataDir: string, accountId: string, size: MadeSize): Promise<MadeProject> {
  const store = await openStore({ dataDir });
  const datasets = {} as Record<DatasetKind, Dataset>;
  for (const kind of ['user', 'item', 'event'] as const) {
    datasets[kind] = {
      account_id: accountId,
      dataset_id: newId(kind),
      kind,
      name: `made ${kind}s`,
      num_shards: 1000,
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

  const waiting: Promise<unknown>[] = [];
  const send = async (write: Promise<unknown>): Promise<void> => {
    waiting.push(write);
    if (waiting.length >= 4) await waiting.shift();
  };
  for (const batch of inBatches(items(size.items))) await send(store.items.upsert(datasets.item, batch));
  for (const batch of inBatches(events(size))) await send(store.events.upsert(datasets.event, batch));
  await Promise.all(waiting);
  await store.close();
  return project;
}

function* items(count: number): Generator<EntityRecord> {
  for (let n = 0; n < count; n++) {
    yield {
      id: `item-${n}`,
      attributes: {
        title: `The title of item ${n}`,
        genre: [`genre-${n % 20}`, `genre-${n % 7}`],
        price: n % 1000,
        // n % 2, n % 100 and n % 10 000 are 0 for 50 %, 1 % and 0.01 % of the items
        half: n % 2,
        hundredth: n % 100,
        rare: n % 10_000,
      },
    };
  }
}

function* events({ users, items, eventsPerUser }: MadeSize): Generator<EventRecord> {
  const random = randomOf(7);
  let n = 0;
  for (let user = 0; user < users; user++) {
    const group = Math.floor(random() * Math.max(1, Math.floor(items / GROUP_ITEMS)));
    const count = 1 + Math.floor(random() * (2 * eventsPerUser - 1));
    for (let event = 0; event < count; event++) {
      const inGroup = random() < 0.8;
      const item = inGroup
        ? group * GROUP_ITEMS + Math.floor(random() ** 2 * GROUP_ITEMS)
        : Math.floor(random() ** 2 * items);
      yield {
        event_id: `event-${n}`,
        user_id: `user-${user}`,
        item_id: `item-${Math.min(item, items - 1)}`,
        ts: 1_700_000_000_000 + n++ * 10,
        event_type: 'buy',
        event_value: 1,
        attributes: {},
      };
    }
  }
}

function* inBatches<T>(entries: Iterable<T>): Generator<T[]> {
  let batch: T[] = [];
  for (const entry of entries) {
    batch.push(entry);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

export function makeModel(itemCount: number): G1Model {
  const itemIds = Array.from({ length: itemCount }, (_, n) => `item-${n}`);
  const popularity = Float32Array.from({ length: itemCount }, (_, n) => 1 / (1 + (n % GROUP_ITEMS)));
  const expert = (name: string, seed: number, rho: number) => ({
    kind: 'item-to-item' as const,
    name,
    rows: neighbours(itemCount, seed),
    query: { kind: 'power' as const, rho },
    settings: {},
  });
  return {
    itemIds,
    warmItemCount: itemCount,
    targetEventType: 'buy',
    typeWeights: { buy: 1 },
    historyCap: 300,
    experts: [
      expert('local_ridge', 1, 0.4),
      expert('walk', 2, 0.4),
      expert('transitions', 3, 0.8),
      { kind: 'popularity', name: 'popularity', values: popularity, settings: {} },
    ],
    blend: { weights: [1, 0.6, 1.2, 0.5], transform: { kind: 'log', c: 0.03 } },
    repeats: { rate: 0, recommendSeen: false, seenWeight: 0 },
    vectors: { dimensions: 32, values: new Float32Array(itemCount * 32).fill(0.1) },
    calibration: { tau: 3 },
    coldUsers: null,
    metrics: null,
    settings: {},
    seed: 1,
  };
}

/** Mostly items of the same group, as with real taste; columns rise within a row. */
function neighbours(itemCount: number, seed: number): SparseRows {
  const random = randomOf(seed);
  const near = Math.min(80, Math.floor(itemCount / 4));
  const far = Math.min(NEIGHBOURS - near, Math.floor(itemCount / 4));
  const perRow = near + far;
  const offsets = Uint32Array.from({ length: itemCount + 1 }, (_, row) => row * perRow);
  const columns = new Uint32Array(itemCount * perRow);
  const values = new Float32Array(itemCount * perRow);
  for (let item = 0; item < itemCount; item++) {
    const start = item * perRow;
    const group = Math.min(Math.floor(item / GROUP_ITEMS) * GROUP_ITEMS, Math.max(0, itemCount - GROUP_ITEMS));
    const groupItems = Math.min(GROUP_ITEMS, itemCount);
    // One from each of equal pieces: distinct, spread and in order, without looking back.
    for (let n = 0; n < near; n++) columns[start + n] = group + pieceOf(random, n, near, groupItems);
    for (let n = 0; n < far; n++) columns[start + near + n] = pieceOf(random, n, far, itemCount);
    const row = columns.subarray(start, start + perRow).sort();
    for (let at = 1; at < perRow; at++) if (row[at] <= row[at - 1]) row[at] = Math.min(row[at - 1] + 1, itemCount - 1);
    for (let at = start; at < start + perRow; at++) values[at] = random() ** 3;
  }
  return { rowCount: itemCount, columnCount: itemCount, offsets, columns, values };
}

function pieceOf(random: () => number, piece: number, pieces: number, length: number): number {
  return Math.floor(((piece + random()) * length) / pieces);
}
