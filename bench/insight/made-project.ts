// A made project of any size for benchmarks of insight: the model has random neighbors inside genres. Events are in a real
// store, or (`stored: false`) made as they are read, so that a million users need no disk; everything else is always real.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { saveModel } from '../../src/artifact/g1-file.ts';
import type { G1Model, SparseRows } from '../../src/artifact/g1-model.ts';
import { systemRuntime } from '../../src/base/runtime.ts';
import { seededRandom } from '../../src/base/seeded-random.ts';
import { DEFAULT_PLAN } from '../../src/domain/account.ts';
import { type Dataset, type DatasetKind, RECORDS_PER_SHARD } from '../../src/domain/dataset.ts';
import type { Job, JobType } from '../../src/domain/job.ts';
import type { EventRecord } from '../../src/domain/record.ts';
import type { InsightRun } from '../../src/insight/insight-run.ts';
import { openBlobStore } from '../../src/store/blob/open-blob-store.ts';
import type { EventBlock, EventStore, HistoryEvent, InternedKind } from '../../src/store/event-store.ts';
import { openStore, SQLITE_FILE } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { newCredentials, newId, newJob } from '../../test/support/new-ids.ts';
import { plantEvents, withUnsafeDatabase } from '../plant-events.ts';

export interface MadeSize {
  users: number;
  items: number;
  eventsPerUser: number;
  /** whether the events are put into the store; `planted`: in the fast way, for millions */
  stored: boolean | 'planted';
  /** items of the catalog without events, which the model does not know */
  newItems?: number;
  /** the model has a ranker, as most trained ones */
  hasRanker?: boolean;
}

const GENRES = 20;
const NEIGHBORS = 100;
const DIMENSIONS = 64;
const itemId = (item: number) => `i${item}`;
const userId = (user: number) => `u${user}`;

export async function madeProject(size: MadeSize) {
  const dataDir = await mkdtemp(join(tmpdir(), 'kindred-bench-'));
  let store = await openStore({ dataDir });
  const blobs = openBlobStore({ dataDir });
  const accountId = newId('account');
  const now = Date.now();
  await store.accounts.create(
    {
      account_id: accountId,
      name: 'bench',
      plan: DEFAULT_PLAN,
      disabled: false,
      created_ts: now,
      training_hours: 0,
      default_project_id: null,
    },
    newCredentials(accountId, { name: 'bench', scopes: ['*'] }).key,
  );
  const dataset = async (kind: DatasetKind) => {
    const made = {
      account_id: accountId,
      dataset_id: newId(kind),
      kind,
      name: kind,
      num_shards: Math.max(10, Math.ceil((size.users * size.eventsPerUser) / RECORDS_PER_SHARD)),
      attribute_schema: null,
      created_ts: now,
      num_records: 0,
    };
    await store.datasets.create(made);
    return made;
  };
  const [users, items, events] = [await dataset('user'), await dataset('item'), await dataset('event')];
  const project = {
    account_id: accountId,
    project_id: newId('project'),
    name: 'bench',
    project_type: 'RECOMMEND_ITEMS_TO_USER' as const,
    user_dataset_id: users.dataset_id,
    item_dataset_id: items.dataset_id,
    event_dataset_id: events.dataset_id,
    target_event_type: 'view',
    created_ts: now,
  };
  await store.projects.create(project);
  const catalogItems = size.items + (size.newItems ?? 0);
  for (let from = 0; from < catalogItems; from += 1000) {
    const records = Array.from({ length: Math.min(1000, catalogItems - from) }, (_, n) => {
      const item = from + n;
      return {
        id: itemId(item),
        attributes: { name: `Item ${item}`, genre: `genre ${item % GENRES}`, year: 1980 + (item % 40) },
      };
    });
    await store.items.upsert(items, records);
  }
  const model = madeModel(size.items, size.hasRanker);
  const file = join(dataDir, 'model');
  await saveModel(file, model);
  const modelId = newId('model');
  const artifactKey = `models/${modelId}.kindred`;
  await blobs.putFile(artifactKey, file);
  const { queue } = store;
  const job = (jobType: JobType, jobData: Record<string, unknown>): Job =>
    newJob({ account_id: accountId, project_id: project.project_id, job_type: jobType, job_data: jobData }, now);
  const training = job('TRAINING', {});
  await store.jobs.submit(training);
  const { lease } = (await queue.claim('bench', ['TRAINING'], now))!;
  const row = {
    account_id: accountId,
    project_id: project.project_id,
    model_id: modelId,
    name: 'bench',
    algorithm_type: 'G1' as const,
    algorithm_parameters: {},
    created_ts: now,
    job_id: training.job_id,
    artifact_key: artifactKey,
    metrics: null,
    training: {},
  };
  await queue.finish(lease, { result: { model_id: modelId }, model: row }, now);

  if (size.stored === 'planted') {
    await store.close();
    plantAll(join(dataDir, SQLITE_FILE), events, size);
    store = await openStore({ dataDir });
  } else if (size.stored) await storeEvents(store, events, size);
  const madeStore = size.stored
    ? store
    : (Object.create(store, { events: { value: madeEvents(size, events.num_shards) } }) as Store);
  return {
    store: madeStore,
    model,
    project,
    dataDir,
    async run(jobType: JobType, jobData: Record<string, unknown>): Promise<InsightRun> {
      const submitted = job(jobType, { model_id: modelId, ...jobData });
      return {
        job: submitted,
        attemptId: `${submitted.job_id}-1`,
        store: madeStore,
        blobs,
        scratchDir: await mkdtemp(join(dataDir, 'scratch-')),
        progress: () => {},
        signal: new AbortController().signal,
        runtime: systemRuntime,
      };
    },
    async close(): Promise<void> {
      await store.close();
      await rm(dataDir, { recursive: true });
    },
  };
}

function madeModel(items: number, hasRanker = false): G1Model {
  const random = seededRandom(1);
  const rows = (): SparseRows => {
    const offsets = Uint32Array.from({ length: items + 1 }, (_, row) => row * NEIGHBORS);
    const columns = new Uint32Array(items * NEIGHBORS);
    for (let item = 0; item < items; item++) {
      const chosen = new Set<number>();
      while (chosen.size < NEIGHBORS) {
        // Four of five neighbors share the genre.
        const step =
          random.below(5) === 0 ? random.below(items) : item + GENRES * random.below(Math.floor(items / GENRES));
        chosen.add(step % items);
      }
      columns.set(
        [...chosen].sort((a, b) => a - b),
        item * NEIGHBORS,
      );
    }
    return {
      rowCount: items,
      columnCount: items,
      offsets,
      columns,
      values: new Float32Array(items * NEIGHBORS).map(() => 0.05 + random.next()),
    };
  };
  const query = { kind: 'power' as const, rho: 0.4 };
  const blend = { weights: [1, 0.6, 1.2, 0.3], transform: { kind: 'log' as const, c: 0.03 } };
  const ranker = {
    candidates: 100,
    deep: [0, 1, 2],
    weights: Array.from({ length: 3 * 4 + 24 }, () => random.next() / 10),
    bias: new Float32Array(items),
  };
  const vectors = new Float32Array(items * DIMENSIONS);
  for (let item = 0; item < items; item++) {
    for (let d = 0; d < DIMENSIONS; d++) vectors[item * DIMENSIONS + d] = random.normal() * 0.15;
    vectors[item * DIMENSIONS + (item % GENRES)] += 1;
  }
  return {
    itemIds: Array.from({ length: items }, (_, item) => itemId(item)),
    warmItemCount: items,
    targetEventType: 'view',
    typeWeights: { view: 1 },
    historyCap: 500,
    experts: [
      { kind: 'item-to-item', name: 'ridge', rows: rows(), query, settings: {} },
      { kind: 'item-to-item', name: 'walk', rows: rows(), query, settings: {} },
      { kind: 'item-to-item', name: 'transitions', rows: rows(), query, settings: {} },
      {
        kind: 'popularity',
        name: 'popularity',
        values: new Float32Array(items).map((_, n) => 1 / (1 + n)),
        settings: {},
      },
    ],
    blend,
    ...(hasRanker && { moments: { arriving: { blend, ranker } } }),
    repeats: { rate: 0, recommendSeen: false },
    vectors: { dimensions: DIMENSIONS, values: vectors },
    calibration: { tau: 0.8 },
    coldUsers: null,
    metrics: null,
    settings: {},
    seed: 1,
  };
}

/** What user u turned to follows from u: mostly items of one genre. */
function itemsOf(user: number, { items, eventsPerUser }: MadeSize): number[] {
  const random = seededRandom(user + 1);
  return Array.from({ length: eventsPerUser }, () =>
    random.below(4) === 0 ? random.below(items) : (user % GENRES) + GENRES * random.below(Math.floor(items / GENRES)),
  );
}

function plantAll(file: string, dataset: Dataset, size: MadeSize): void {
  const startMs = Date.now() - 30 * 86_400_000;
  function* events() {
    for (let user = 0; user < size.users; user++) {
      for (const [n, item] of itemsOf(user, size).entries()) yield { user, item, ts: startMs + n * 60_000 };
    }
  }
  withUnsafeDatabase(file, (db) => {
    plantEvents(db, {
      dataset,
      eventType: 'view',
      events: events(),
      userIds: { length: size.users, at: userId },
      itemIds: { length: size.items, at: itemId },
    });
  });
}

async function storeEvents(store: Store, dataset: Dataset, size: MadeSize): Promise<void> {
  let batch: EventRecord[] = [];
  const pending = new Set<Promise<unknown>>();
  const flush = async () => {
    const write = store.events
      .upsert(dataset, batch)
      .then(({ outcomes }) => {
        if (outcomes.includes('full')) throw new Error('the made dataset has no room for all events');
      })
      .finally(() => pending.delete(write));
    pending.add(write);
    batch = [];
    if (pending.size >= 8) await Promise.race(pending);
  };
  for (let user = 0; user < size.users; user++) {
    for (const [n, item] of itemsOf(user, size).entries()) {
      const event_id = `${user}-${n}`;
      batch.push({
        event_id,
        user_id: userId(user),
        item_id: itemId(item),
        ts: n,
        event_type: 'view',
        event_value: 1,
        attributes: {},
      });
      if (batch.length === 1000) await flush();
    }
  }
  if (batch.length > 0) await flush();
  await Promise.all(pending);
}

/** Follows the size: the same project may be read with more users. Users are spread evenly over the shards. */
function madeEvents(size: MadeSize, shardCount: number): EventStore {
  const nameOf = (kind: InternedKind) => (kind === 'user' ? userId : kind === 'item' ? itemId : () => 'view');
  const countOf = (kind: InternedKind) => ({ user: size.users, item: size.items, type: 1 })[kind];
  const made: Partial<EventStore> = {
    internedCount: async (_, kind) => countOf(kind),
    idsOf: async (_, kind, numbers) => numbers.map(nameOf(kind)),
    async *internedIds(_, kind) {
      const name = nameOf(kind);
      const count = countOf(kind);
      for (let from = 0; from < count; from += 10_000)
        yield Array.from({ length: Math.min(10_000, count - from) }, (_, n) => name(from + n));
    },
    async *scan(_, shards) {
      const { users, eventsPerUser } = size;
      const usersPerBlock = 2000;
      const end = Math.round((users * shards.to) / shardCount);
      for (let from = Math.round((users * shards.from) / shardCount); from < end; from += usersPerBlock) {
        const length = Math.min(usersPerBlock, end - from) * eventsPerUser;
        const block: EventBlock = {
          length,
          user: Uint32Array.from({ length }, (_, n) => from + Math.floor(n / eventsPerUser)),
          item: new Uint32Array(length),
          type: new Uint32Array(length),
          ts: Float64Array.from({ length }, (_, n) => n),
          value: new Float64Array(length).fill(1),
        };
        for (let n = 0; n < length; n += eventsPerUser) block.item.set(itemsOf(block.user[n], size), n);
        yield block;
      }
    },
    history: async (_, id) =>
      itemsOf(Number(id.slice(1)), size)
        .reverse()
        .map(
          (item, n): HistoryEvent => ({
            user_no: Number(id.slice(1)),
            item_id: itemId(item),
            item_no: item,
            event_type: 'view',
            event_value: 1,
            ts: -n,
          }),
        ),
  };
  return made as EventStore;
}
