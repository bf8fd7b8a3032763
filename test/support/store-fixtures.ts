// An account with datasets to put records in, for tests that work on the store directly.
import assert from 'node:assert/strict';
import { DEFAULT_PLAN } from '../../src/domain/account.ts';
import type { Dataset, DatasetKind } from '../../src/domain/dataset.ts';
import type { Project } from '../../src/domain/project.ts';
import type { EventRecord } from '../../src/domain/record.ts';
import type { EventBlock } from '../../src/store/event-store.ts';
import type { Store } from '../../src/store/store.ts';
import { newCredentials, newId } from './new-ids.ts';

export async function makeAccount(store: Store): Promise<string> {
  const account_id = newId('account');
  const created_ts = Date.now();
  await store.accounts.create(
    {
      account_id,
      name: account_id,
      plan: { ...DEFAULT_PLAN, max_event_shards: 10_000_000 },
      disabled: false,
      created_ts,
      training_hours: 0,
      default_project_id: null,
    },
    newCredentials(account_id, { name: 'test', scopes: ['*'] }).key,
  );
  return account_id;
}

export async function makeDataset(
  store: Store,
  accountId: string,
  kind: DatasetKind,
  num_shards = 10,
): Promise<Dataset> {
  const dataset: Dataset = {
    account_id: accountId,
    dataset_id: newId(kind),
    kind,
    name: 'test',
    num_shards,
    attribute_schema: null,
    created_ts: Date.now(),
    num_records: 0,
  };
  await store.datasets.create(dataset);
  return dataset;
}

/** With datasets of its own. */
export async function makeProject(store: Store, accountId: string): Promise<Project> {
  const [users, items, events] = await Promise.all(
    (['user', 'item', 'event'] as const).map((kind) => makeDataset(store, accountId, kind)),
  );
  const project: Project = {
    account_id: accountId,
    project_id: newId('project'),
    name: 'test',
    project_type: 'RECOMMEND_ITEMS_TO_USER',
    user_dataset_id: users.dataset_id,
    item_dataset_id: items.dataset_id,
    event_dataset_id: events.dataset_id,
    target_event_type: 'buy',
    created_ts: Date.now(),
  };
  assert.equal(await store.projects.create(project), 'created');
  return project;
}

export function makeEvent(change: Partial<EventRecord> & { event_id: string }): EventRecord {
  return { user_id: 'u', item_id: 'i', ts: 1, event_type: 'view', event_value: 1, attributes: {}, ...change };
}

export async function countOf(store: Store, dataset: Dataset): Promise<number> {
  const found = await store.datasets.get(dataset.account_id, dataset.kind, dataset.dataset_id);
  return found!.num_records;
}

/** A scanned event with its ids instead of numbers. */
export interface ScannedEvent {
  user_id: string;
  item_id: string;
  event_type: string;
  ts: number;
  event_value: number;
}

export async function scanAll(
  store: Store,
  dataset: Dataset,
  shards = { from: 0, to: dataset.num_shards },
  blockSize?: number,
): Promise<ScannedEvent[]> {
  const ids = {
    user: await collect(store.events.internedIds(dataset.dataset_id, 'user')),
    item: await collect(store.events.internedIds(dataset.dataset_id, 'item')),
    type: await collect(store.events.internedIds(dataset.dataset_id, 'type')),
  };
  const events: ScannedEvent[] = [];
  for await (const block of store.events.scan(dataset.dataset_id, shards, blockSize)) {
    const lengths = [block.user, block.item, block.type, block.ts, block.value].map((column) => column.length);
    assert.deepEqual(lengths, Array(5).fill(block.length));
    for (let row = 0; row < block.length; row++) events.push(toEvent(block, row, ids));
  }
  return events;
}

function toEvent(block: EventBlock, row: number, ids: Record<'user' | 'item' | 'type', string[]>): ScannedEvent {
  return {
    user_id: ids.user[block.user[row]],
    item_id: ids.item[block.item[row]],
    event_type: ids.type[block.type[row]],
    ts: block.ts[row],
    event_value: block.value[row],
  };
}

export async function collect<T>(blocks: AsyncIterable<T[]>): Promise<T[]> {
  const all: T[] = [];
  for await (const block of blocks) all.push(...block);
  return all;
}
