import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseFilter } from '../../test/support/parse-filter.ts';
import { DAY_MS } from '../base/durations.ts';
import { Catalog } from '../catalog/catalog.ts';
import type { ListRequest } from '../placements/list-request.ts';
import { listOfTop } from './list-of-top.ts';

const NOW = Date.UTC(2026, 10, 15);

test('what the user viewed is new again after the days that the call says, also in a list of counts', () => {
  const catalog = new Catalog('items');
  for (const id of ['viewed', 'other']) catalog.put(id, {});
  const list = (request: ListRequest) =>
    listOfTop(
      { user_id: 'ann', limit: 1, ...request, objective: 'discover' },
      {
        catalog,
        counted: [{ items: [0, 1], scores: [2, 1] }],
        targetEventType: 'buy',
        typeCounts: {},
        shown: [],
        stored: [{ item_id: 'viewed', event_type: 'view', event_value: 1, ts: NOW - 5 * DAY_MS }],
        allow: null,
        boosts: [],
        nowMs: NOW,
      },
    ).list.items.map(({ item_id }) => item_id);
  assert.deepEqual(list({}), ['other']);
  assert.deepEqual(list({ touch_days: 6 }), ['other']);
  assert.deepEqual(list({ touch_days: 4 }), ['viewed']);
});

test('a session event without a type is a view, unless there are only target events', () => {
  const catalog = new Catalog('items');
  for (const id of ['looked', 'other']) catalog.put(id, {});
  const list = (request: ListRequest, typeCounts: Record<string, number>) =>
    listOfTop(
      { session_events: [{ item_id: 'looked' }], limit: 1, ...request },
      {
        catalog,
        counted: [{ items: [0, 1], scores: [2, 1] }],
        targetEventType: 'buy',
        typeCounts,
        shown: [],
        stored: [],
        allow: null,
        boosts: [],
        nowMs: NOW,
      },
    ).list.items.map(({ item_id }) => item_id);
  const types = { cart: 5, buy: 90, view: 40 };
  assert.deepEqual(list({ exclude_seen: true }, types), ['looked']);
  assert.deepEqual(list({ exclude_event_types: ['buy', 'cart'] }, types), ['looked']);
  assert.deepEqual(list({ exclude_event_types: ['view'] }, types), ['other']);
  assert.deepEqual(list({ exclude_seen: true }, { buy: 90 }), ['other']);
});

test('boosts are computed once per item, however often caps search the list', () => {
  const catalog = new Catalog('items');
  const items = Array.from({ length: 2000 }, (_, n) => n);
  const brandOf = (item: number) => `b${Math.floor(item / 40)}`;
  for (const item of items) catalog.put(`i${item}`, { brand: brandOf(item), isLocal: item % 7 === 0 });
  const local = catalog.select(parseFilter('isLocal = true'));
  let computed = 0;
  const boost = {
    factor: 1.5,
    get items() {
      computed++;
      return local;
    },
  };
  const { list } = listOfTop(
    { limit: 30, diversity: { max_per: { brand: 1 } } },
    {
      catalog,
      counted: [{ items, scores: items.map((item) => NOW - item) }],
      targetEventType: 'buy',
      typeCounts: {},
      shown: [],
      stored: [],
      allow: null,
      // As long as the last item may come first, no search ends early.
      boosts: [boost, { factor: 2, items: catalog.select(parseFilter("item_id = 'i1999'")) }],
      nowMs: NOW,
    },
  );
  // The last item, then of each brand the first boosted one.
  const wanted = items.filter((item) => item % 7 === 0).filter((item, n, all) => brandOf(item) !== brandOf(all[n - 1]));
  assert.deepEqual(
    list.items.map(({ item }) => item),
    [1999, ...wanted.slice(0, 29)],
  );
  assert.ok(computed <= items.length, `${computed} for ${items.length} items`);
});
