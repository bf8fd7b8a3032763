// What a recommendation call reads of a user: the newest events, with every character and every bit, on every database.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore } from '../../src/store/open-store.ts';
import { makeAccount, makeDataset, makeEvent } from '../support/store-fixtures.ts';
import { DIALECTS, newTestPlace } from '../support/test-database.ts';

const ITEMS = ['plain', 'with "quotes" and \\', 'ключ 🔑', "it's {1,2}", 'ends with \u2028'];
const VALUES = [0.1 + 0.2, -1e-300, 1e300, 5e-324, 2 ** 53 - 1, 0];
const TIMES = [0, 1, 1_763_000_000_123, 8_640_000_000_000_000];

for (const dialect of DIALECTS) {
  test(`a history on ${dialect} has the newest events first, each as it was stored`, async () => {
    const place = await newTestPlace(dialect);
    const store = await openStore(place);
    const events = await makeDataset(store, await makeAccount(store), 'event');
    const written = TIMES.flatMap((ts, t) =>
      VALUES.map((event_value, n) => {
        const item_id = ITEMS[(t + n) % ITEMS.length];
        return makeEvent({
          event_id: `e${t} ${n}`,
          user_id: 'ann',
          item_id,
          event_type: `type "${n}"`,
          event_value,
          ts,
        });
      }),
    );
    await store.events.upsert(events, written);
    await store.events.upsert(events, [makeEvent({ event_id: 'bob', user_id: 'bob', item_id: ITEMS[0] })]);
    const history = await store.events.history(events.dataset_id, 'ann', 20);
    const newest = written.toReversed().slice(0, 20);
    assert.deepEqual(
      history.map(({ item_id, event_type, event_value, ts }) => ({ item_id, event_type, event_value, ts })),
      newest.map(({ item_id, event_type, event_value, ts }) => ({ item_id, event_type, event_value, ts })),
    );
    assert.equal(new Set(history.map(({ user_no }) => user_no)).size, 1);
    assert.equal(new Set(history.map(({ item_no }) => item_no)).size, ITEMS.length);
    assert.deepEqual(await store.events.history(events.dataset_id, 'nobody', 20), []);
    assert.deepEqual(await store.events.history('eds_none', 'ann', 20), []);
    await store.close();
    await place.remove();
  });
}
