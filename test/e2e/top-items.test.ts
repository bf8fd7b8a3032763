// Top lists over HTTP, on every database, without any model: planted popularity, a planted trend, new and deleted items,
// filters, boosts, pins, caps, pages, what a user leaves out, wrong requests.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startTestService, type TestService } from '../support/service.ts';
import { DIALECTS_OF_LONG_SUITES, newTestPlace, type TestPlace } from '../support/test-database.ts';

const HOUR_MS = 3_600_000;
const ITEMS = 40;

interface ListResponse {
  results: { item: { item_id: string; price: number | null }; score: number }[];
  warnings?: { code: string }[];
  next_page_token: string | null;
}

for (const dialect of DIALECTS_OF_LONG_SUITES) {
  describe(`top lists on ${dialect}`, () => {
    let place: TestPlace;
    /** PostgreSQL has a second one. */
    const nodes: TestService[] = [];
    let ids: Record<'user_dataset_id' | 'item_dataset_id' | 'event_dataset_id', string>;
    let project_id = '';

    before(async () => {
      place = await newTestPlace(dialect);
      for (let node = 0; node < (dialect === 'postgres' ? 2 : 1); node++) {
        nodes.push(
          await startTestService({
            ...place.env,
          }),
        );
      }
      const [api] = nodes;
      const made: Record<string, string> = {};
      for (const kind of ['user', 'item', 'event']) {
        const field = `${kind}_dataset_id`;
        made[field] = (await api.ok('POST', `/create-${kind}-dataset`, { name: kind }))[field];
      }
      ids = made as typeof ids;
      const project = { name: 'p', project_type: 'RECOMMEND_ITEMS_TO_USER', target_event_type: 'buy', ...ids };
      ({ project_id } = await api.ok('POST', '/create-project', project));
      await api.ok('POST', '/upsert-dataset-items', {
        item_dataset_id: ids.item_dataset_id,
        items: Array.from({ length: ITEMS }, (_, n) => ({ item_id: `i${n}`, attributes: { price: n, parity: n % 2 } })),
      });
      await upsertEvents(plantedEvents());
    });
    after(async () => {
      for (const node of nodes) await node.stop();
      await place.remove();
    });

    async function upsertEvents(events: object[]) {
      const { event_dataset_id } = ids;
      for (let from = 0; from < events.length; from += 1000) {
        await nodes[0].ok('POST', '/upsert-dataset-events', {
          event_dataset_id,
          events: events.slice(from, from + 1000),
        });
      }
    }

    const top = (request: object, node = nodes[0]): Promise<ListResponse> =>
      node.ok('POST', '/list-top-items', { project_id, attributes: ['price'], ...request });
    const idsOf = ({ results }: Pick<ListResponse, 'results'>) => results.map(({ item }) => item.item_id);

    test('popular items come by their counts, on every node, by window and type', async () => {
      for (const node of nodes) {
        const { results } = await top({ by: 'popular', limit: 3 }, node);
        assert.deepEqual(results[0], { item: { item_id: 'i0', price: 0 }, score: 7 * 40 });
        assert.deepEqual(idsOf({ results }), ['i0', 'i1', 'i2']);
      }
      const bought = await top({ by: 'popular', event_type: 'buy', limit: 5 });
      assert.deepEqual(
        bought.results.map(({ item, score }) => [item.item_id, score]),
        [['i9', 4]],
      );
      assert.equal((await top({ by: 'popular', window_hours: 2, limit: 1 })).results[0].item.item_id, 'i30');
    });

    test('a planted trend is found, and three clicks are none', async () => {
      const { results } = await top({ by: 'trending', window_hours: 24 });
      assert.deepEqual(idsOf({ results }), ['i30']);
      assert.ok(results[0].score > 3, String(results[0].score));
    });

    test('filters and exclusions choose among the listed, and warnings tell when nothing is left', async () => {
      const cheap = await top({ by: 'popular', filter_query: 'price >= 2', exclude_item_ids: ['i3'], limit: 2 });
      assert.deepEqual(idsOf(cheap), ['i2', 'i4']);
      const none = await top({ by: 'popular', filter_query: 'price > $max', filter_params: { max: 1000 } });
      assert.deepEqual(none.results, []);
      assert.deepEqual(
        none.warnings?.map(({ code }) => code),
        ['FILTER_MATCHES_NOTHING'],
      );
    });

    test('boosts multiply counts, pins have their place, and caps hold', async () => {
      const boosts = [{ filter_query: 'price = 4', factor: 2 }];
      const pins = [{ position: 2, item_id: 'i38' }];
      const { results } = await top({ by: 'popular', boosts, pins, limit: 3 });
      assert.deepEqual(results[0], { item: { item_id: 'i4', price: 4 }, score: 2 * 7 * 36 });
      assert.deepEqual(results[1], { item: { item_id: 'i38', price: 38 }, pinned: true });
      assert.equal(results[2].item.item_id, 'i0');
      const capped = await top({ by: 'popular', diversity: { max_per: { parity: 1 } } });
      assert.deepEqual(idsOf(capped), ['i0', 'i1']);
      const spread = await top({ by: 'popular', diversity: 0.5, limit: 2 });
      assert.deepEqual(
        spread.warnings?.map(({ code }) => code),
        ['DIVERSITY_IGNORED'],
      );
    });

    test('pages are pieces of one list, and a token of another list is refused', async () => {
      const request = { by: 'popular', boosts: [{ filter_query: 'price > 20', factor: 1.5 }] };
      const whole = idsOf(await top({ ...request, limit: 30 }));
      const first = await top({ ...request, limit: 12 });
      const second = await top({ ...request, limit: 18, page_token: first.next_page_token });
      assert.deepEqual([...idsOf(first), ...idsOf(second)], whole);
      const other = { project_id, by: 'newest', page_token: first.next_page_token };
      assert.equal((await nodes[0].call('POST', '/list-top-items', other)).body.code, 'INVALID_PAGE_TOKEN');
      assert.equal((await top({ by: 'popular', limit: 100 })).next_page_token, null, 'at the end of the list');
    });

    test('what a user or a visitor leaves out is not listed', async () => {
      const ts = Date.now();
      await upsertEvents([
        { event_id: 'no', user_id: 'critic', item_id: 'i1', ts, event_type: 'view', event_value: -1 },
        { event_id: 'had', user_id: 'critic', item_id: 'i2', ts, event_type: 'buy' },
      ]);
      const user_id = 'critic';
      assert.deepEqual(idsOf(await top({ by: 'popular', limit: 3, user_id })), ['i0', 'i2', 'i3']);
      const unseen = await top({ by: 'popular', limit: 3, user_id, exclude_event_types: ['buy'] });
      assert.deepEqual(idsOf(unseen), ['i0', 'i3', 'i4']);
      assert.deepEqual(idsOf(await top({ by: 'popular', limit: 3, user_id, exclude_seen: true })), idsOf(unseen));
      const session_events = [{ item_id: 'i0', event_type: 'cart' }];
      const visitor = await top({ by: 'popular', limit: 2, session_events, exclude_event_types: ['cart'] });
      assert.deepEqual(idsOf(visitor), ['i1', 'i2']);
      const looked = { by: 'popular', limit: 2, session_events: [{ item_id: 'i0' }] };
      assert.deepEqual(idsOf(await top({ ...looked, exclude_seen: true })), ['i0', 'i1'], 'it was not bought');
      assert.deepEqual(idsOf(await top({ ...looked, exclude_event_types: ['view'] })), ['i1', 'i2']);
      const later = { user_id, item_id: 'i39', event_type: 'skim', event_value: 0 };
      await upsertEvents(Array.from({ length: 1001 }, (_, n) => ({ ...later, event_id: `later${n}`, ts: ts + 1 + n })));
      assert.deepEqual(idsOf(await top({ by: 'popular', limit: 3, user_id })), ['i0', 'i2', 'i3'], 'still disliked');
    });

    test('the newest items come first, and a deleted item is in no list', async () => {
      const { item_dataset_id } = ids;
      await nodes[0].ok('POST', '/upsert-dataset-items', { item_dataset_id, items: [{ item_id: 'fresh' }] });
      // An update does not make an item new.
      await nodes[0].ok('POST', '/upsert-dataset-items', {
        item_dataset_id,
        items: [{ item_id: 'i5', attributes: { price: 5 } }],
      });
      const newest = await top({ by: 'newest', window_hours: 1, limit: 50 });
      assert.equal(newest.results[0].item.item_id, 'fresh');
      assert.equal(newest.results.length, ITEMS + 1);
      assert.ok(Math.abs(newest.results[0].score - Date.now()) < 60_000);
      await nodes[0].ok('DELETE', '/delete-dataset-items', { item_dataset_id, item_ids: ['fresh', 'i0', 'i30'] });
      for (const node of nodes) {
        for (const by of ['popular', 'trending', 'newest']) {
          const listed = idsOf(await top({ by, limit: 100 }, node));
          for (const gone of ['fresh', 'i0', 'i30']) assert.ok(!listed.includes(gone), `${gone} in ${by}`);
        }
      }
    });

    test('wrong requests are refused with reasons', async () => {
      const refusal = async (request: object) => {
        const { status, body } = await nodes[0].call('POST', '/list-top-items', { project_id, ...request });
        assert.equal(status, 400);
        return body.detail as string;
      };
      assert.match(await refusal({}), /by/);
      assert.match(await refusal({ by: 'best' }), /popular, trending, newest/);
      assert.match(await refusal({ by: 'popular', window_hours: 721 }), /720/);
      assert.match(await refusal({ by: 'trending', window_hours: 169 }), /at most 168 for trending/);
      assert.match(await refusal({ by: 'newest', event_type: 'buy' }), /does not apply to the newest/);
      assert.match(await refusal({ by: 'popular', filter_query: 'price <' }), /position 8/);
      const without = await nodes[0].call('POST', '/list-top-items', { by: 'popular' });
      assert.match(without.body.detail, /project_id is required while the account has no default project/);
    });

    test('a new default project is the one of the next call, on every node', async () => {
      const other = await nodes[0].ok('POST', '/create-event-dataset', { name: 'other' });
      const second = await nodes[0].ok('POST', '/create-project', {
        name: 'second',
        project_type: 'RECOMMEND_ITEMS_TO_USER',
        target_event_type: 'buy',
        ...ids,
        event_dataset_id: other.event_dataset_id,
      });
      const event = { event_id: 'e', user_id: 'u1', item_id: 'i20', ts: Date.now() - 60_000, event_type: 'view' };
      await nodes[0].ok('POST', '/upsert-dataset-events', {
        event_dataset_id: other.event_dataset_id,
        events: [event],
      });
      for (const [chosen, best] of [
        [project_id, 'i1'],
        [second.project_id, 'i20'],
        [project_id, 'i1'],
      ]) {
        await nodes[0].ok('PUT', '/update-account', { default_project_id: chosen });
        for (const node of nodes) {
          const { results } = await node.ok('POST', '/list-top-items', { by: 'popular', limit: 1 });
          assert.deepEqual(idsOf({ results }), [best]);
        }
      }
    });
  });
}

/** Item n has about 40 − n views a day; i30 fifteen times as many since yesterday; i39 has three clicks; i9 a few purchases. */
function plantedEvents(): object[] {
  const events: object[] = [];
  const nowMs = Date.now();
  const add = (item: number, ts: number, event_type = 'view') =>
    events.push({
      event_id: `e${events.length}`,
      user_id: `u${events.length % 50}`,
      item_id: `i${item}`,
      ts,
      event_type,
    });
  for (let item = 0; item < ITEMS - 1; item++) {
    for (let day = 0; day < 7; day++) {
      for (let n = 0; n < 40 - item; n++)
        add(item, nowMs - day * 24 * HOUR_MS - (n + 0.6) * (23 / 40) * HOUR_MS - HOUR_MS / 4);
    }
  }
  for (let n = 0; n < 150; n++) add(30, nowMs - n * 6 * 60_000);
  for (let n = 0; n < 3; n++) add(ITEMS - 1, nowMs - n * 60_000);
  for (let n = 0; n < 4; n++) add(9, nowMs - (n + 3) * HOUR_MS, 'buy');
  return events;
}
