import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { makeAccount, makeDataset } from '../../../test/support/store-fixtures.ts';
import { newTestPlace, type TestPlace } from '../../../test/support/test-database.ts';
import { systemRuntime } from '../../base/runtime.ts';
import { JobFailure } from '../../domain/job.ts';
import { AppError } from '../../errors.ts';
import { FIRST_SEEN_FROM_EVENTS } from '../../store/event-store.ts';
import { openStore } from '../../store/open-store.ts';
import type { Store } from '../../store/store.ts';
import { upsertInto } from './upsert-into.ts';

const NOW_MS = Date.now();
let place: TestPlace;
let store: Store;

before(async () => {
  place = await newTestPlace('sqlite');
  store = await openStore(place);
});
after(async () => {
  await store.close();
  await place.remove();
});

test('an import counts items and types that look like misspelled ones, as the upsert call names them', async () => {
  const dataset = await makeDataset(store, await makeAccount(store), 'event');
  const upsert = upsertInto(
    store,
    { kind: 'events', dataset, readList: () => null },
    { signal: new AbortController().signal, runtime: systemRuntime },
  );
  let made = 0;
  const event = (change: object = {}) => ({
    event_id: `e${made++}`,
    user_id: 'u',
    item_id: 'SKU-1',
    ts: NOW_MS,
    event_type: 'view',
    ...change,
  });
  const known = Array.from({ length: FIRST_SEEN_FROM_EVENTS }, (_, n) => event({ item_id: `SKU-${n % 100}` }));
  assert.deepEqual((await upsert(known)).warnings, []);
  const sent = [event({ ts: 'never' }), event({ item_id: 'sku-77' }), event({ event_type: 'View' }), event()];
  const { warnings, succeed_ids, failures } = await upsert(sent);
  assert.deepEqual(
    warnings.map(({ code }) => code),
    ['UNKNOWN_TYPE', 'UNKNOWN_ITEM'],
  );
  assert.deepEqual(
    succeed_ids,
    sent.slice(1).map(({ event_id }) => event_id),
  );
  assert.deepEqual(
    failures.map(({ index }) => index),
    [0],
  );
});

/** Upserts items into a store that responds as told, once each. */
function stageItems(...responses: (Error | null)[]) {
  const written: number[] = [];
  const items = {
    upsert: async (_: unknown, records: readonly unknown[]) => {
      const response = responses.shift() ?? null;
      if (response) throw response;
      written.push(records.length);
      return records.map(() => 'stored');
    },
  };
  const control = new AbortController();
  const target = { kind: 'items', dataset: { attribute_schema: null }, readList: () => null };
  const upsert = upsertInto({ items } as never, target as never, { signal: control.signal, runtime: systemRuntime });
  return { upsert, written, control };
}

test('a batch is written in pieces of 16 MiB of attributes', async () => {
  const { upsert, written } = stageItems();
  const text = 'x'.repeat(60_000);
  const sent = Array.from({ length: 300 }, (_, n) => ({ item_id: `i${n}`, attributes: { text } }));
  const { succeed_ids, failures } = await upsert(sent);
  assert.deepEqual([written, succeed_ids.length, failures], [[279, 21], 300, []]);
  await upsert([{ item_id: '' }]);
  assert.equal(written.length, 2, 'nothing is written of records that are all wrong');
});

test('a batch waits while the store is busy or away, and fails the job where waiting is no use', async () => {
  const one = [{ item_id: 'i' }];
  for (const code of ['OVERLOADED', 'STORE_UNAVAILABLE'] as const) {
    const busy = stageItems(new AppError(code, 'Busy.'));
    assert.deepEqual((await busy.upsert(one)).succeed_ids, ['i']);
  }
  for (const code of ['PLAN_LIMIT_EXCEEDED', 'DATASET_NOT_FOUND'] as const) {
    const { upsert } = stageItems(new AppError(code, 'No more.'));
    await assert.rejects(upsert(one), (error) => error instanceof JobFailure && error.code === code);
  }
  for (const error of [new Error('broken'), new AppError('INVALID_REQUEST', 'Wrong.')]) {
    await assert.rejects(stageItems(error).upsert(one), error);
  }
  const { upsert, control } = stageItems();
  control.abort(new Error('the job stops'));
  await assert.rejects(upsert(one), { message: 'the job stops' });
});
