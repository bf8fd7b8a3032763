import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { makeAccount, makeDataset } from '../../../test/support/store-fixtures.ts';
import { newTestPlace, type TestPlace } from '../../../test/support/test-database.ts';
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
  const upsert = upsertInto(store, { kind: 'events', dataset, readList: () => null }, new AbortController().signal);
  let made = 0;
  const event = (change: object = {}) => ({
    ...{ event_id: `e${made++}`, user_id: 'u', item_id: 'SKU-1', ts: NOW_MS, event_type: 'view', ...change },
  });
  const known = Array.from({ length: FIRST_SEEN_FROM_EVENTS }, (_, n) => event({ item_id: `SKU-${n % 100}` }));
  assert.deepEqual((await upsert(known)).warnings, []);
  const sent = [event({ ts: 'never' }), event({ item_id: 'sku-77' }), event({ event_type: 'View' }), event()];
  const { warnings, succeed_ids, failures } = await upsert(sent);
  assert.deepEqual(
    warnings.map(({ code }) => code),
    ['UNKNOWN_TYPE', 'UNKNOWN_ITEM'],
  );
  assert.deepEqual([succeed_ids.length, failures.length], [3, 1]);
});
