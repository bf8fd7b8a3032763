// Events (and perhaps items and users) → a trained model behind the recommender contract, through a real store.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkModel } from '../../src/artifact/check-model.ts';
import { systemRuntime } from '../../src/base/runtime.ts';
import { Catalog } from '../../src/catalog/catalog.ts';
import type { AlgorithmParameters } from '../../src/domain/algorithm-parameters.ts';
import { type AttributeSchema, MAX_BATCH_RECORDS } from '../../src/domain/dataset.ts';
import type { EntityRecord, EventRecord } from '../../src/domain/record.ts';
import type { SignalEvent } from '../../src/history/user-signal.ts';
import { createScorer } from '../../src/scoring/create-scorer.ts';
import { G1Recommender } from '../../src/scoring/g1-recommender.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Rival } from '../../src/training/compare-models.ts';
import { type TrainedModel, type TrainModelInput, trainModel } from '../../src/training/train-model.ts';
import { makeAccount, makeDataset } from './store-fixtures.ts';

export interface TrainingData {
  /** type buy, value 1, ascending times and an id made from the place where nothing is said */
  events: Iterable<Partial<EventRecord> & { user_id: string; item_id: string }>;
  items?: EntityRecord[];
  users?: EntityRecord[];
  userSchema?: AttributeSchema;
  eventSchema?: AttributeSchema;
  parameters?: AlgorithmParameters;
  target?: string;
  rival?: Rival;
  /** the time of the training; left out: now */
  nowMs?: number;
  limits?: Pick<TrainModelInput, 'partEvents' | 'blockBytes' | 'mostItems'>;
}

export interface Trained extends TrainedModel {
  catalog: Catalog;
  recommender: G1Recommender;
  /** a user's stored events, newest first */
  historyOf: (userId: string) => SignalEvent[];
}

export async function trainOn(data: TrainingData): Promise<Trained> {
  const folder = await mkdtemp(join(tmpdir(), 'kindred-train-'));
  const store = await openStore({ dataDir: folder });
  try {
    const accountId = await makeAccount(store);
    const [userSet, itemSet, eventSet] = [
      await makeDataset(store, accountId, 'user'),
      await makeDataset(store, accountId, 'item'),
      await makeDataset(store, accountId, 'event'),
    ];
    for (const batch of inBatches(data.users ?? [])) await store.users.upsert(userSet, batch);
    for (const batch of inBatches(data.items ?? [])) await store.items.upsert(itemSet, batch);
    const events = withDefaults(data.events);
    for (const batch of inBatches(events)) await store.events.upsert(eventSet, batch);
    const trained = await trainModel({
      store,
      project: {
        account_id: accountId,
        event_dataset_id: eventSet.dataset_id,
        item_dataset_id: itemSet.dataset_id,
        user_dataset_id: userSet.dataset_id,
        target_event_type: data.target ?? 'buy',
      },
      eventShards: eventSet.num_shards,
      userSchema: data.userSchema ?? null,
      eventSchema: data.eventSchema ?? null,
      parameters: data.parameters ?? {},
      rival: data.rival ?? null,
      threads: 1,
      ...(data.nowMs !== undefined && { runtime: { ...systemRuntime, nowMs: () => data.nowMs! } }),
      ...data.limits,
    });
    checkModel(trained.model);
    const catalog = await Catalog.load(store.items, itemSet.dataset_id);
    const recommender = new G1Recommender(trained.model, catalog, createScorer);
    await recommender.settle();
    const byUser = Map.groupBy(events, ({ user_id }) => user_id);
    for (const history of byUser.values()) history.sort((a, b) => a.ts - b.ts).reverse();
    const historyOf = (userId: string) => [...(byUser.get(userId) ?? [])];
    return { ...trained, catalog, recommender, historyOf };
  } finally {
    await store.close();
    await rm(folder, { recursive: true });
  }
}

function withDefaults(events: TrainingData['events']): EventRecord[] {
  return Array.from(events, (event, n) => ({
    event_id: `e${n}`,
    ts: 1_700_000_000_000 + n * 1000,
    event_type: 'buy',
    event_value: 1,
    attributes: {},
    ...event,
  }));
}

function* inBatches<T>(records: readonly T[]): Generator<T[]> {
  for (let from = 0; from < records.length; from += MAX_BATCH_RECORDS)
    yield records.slice(from, from + MAX_BATCH_RECORDS);
}
