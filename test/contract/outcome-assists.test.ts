// Lists that showed an item before an event with it: what they are said to have assisted, however events and impressions arrive.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HOUR_MS } from '../../src/base/durations.ts';
import { MINUTE_MS, NOW, outcomeStage } from '../support/outcome-stage.ts';
import { DIALECTS } from '../support/test-database.ts';

for (const dialect of DIALECTS) {
  describe(`assisted events on ${dialect}`, () => {
    const stage = outcomeStage(dialect);
    const { start, list, event, shown, direct, assisted } = stage;

    test('an event within a day after the item was shown is assisted, whichever arrives first', async () => {
      for (const order of ['impression first', 'event first']) {
        await start();
        const impressions = [
          shown(list(), ['i1'], { userId: 'u' }),
          shown(list({ placement: 'cart' }), ['i1', 'i2'], { userId: 'u', ts: NOW + 5 * MINUTE_MS }),
          shown(list({ placement: 'late' }), ['i1'], { userId: 'u', ts: NOW + 30 * MINUTE_MS }),
          shown(list({ placement: 'old' }), ['i1'], { userId: 'u', ts: NOW - 24 * HOUR_MS }),
          shown(list({ placement: 'others', user: 'other' }), ['i1'], { userId: 'other' }),
        ];
        const events = [event('e1', { event_type: 'buy', event_value: 30, ts: NOW + 10 * MINUTE_MS })];
        const write = () => stage.store.events.upsert(stage.dataset, events);
        if (order === 'event first') await write();
        await stage.store.outcomes.addImpressions(stage.dataset, impressions);
        if (order === 'impression first') await write();
        assert.deepEqual(await assisted('home'), [1, 1, 1, 30], order);
        assert.deepEqual(await assisted('cart'), [1, 1, 1, 30], order);
        for (const other of ['late', 'old', 'others']) assert.deepEqual(await assisted(other), [0, 0, 0, 0], other);
        assert.deepEqual(await direct(), [0, 0, 0, 0]);
        await stage.store.events.delete(stage.dataset, ['e1']);
        assert.deepEqual(await assisted(), [0, 0, 0, 0], order);
      }
    });

    test('an item assists events for as long as its project said when it was shown, also when they are taken back', async () => {
      for (const order of ['impression first', 'event first']) {
        await start();
        const setWindow = (assist_window_hours: number) =>
          stage.store.projects.update(stage.project.account_id, stage.project.project_id, { assist_window_hours });
        const lists = new Map(['default', 'long', 'short'].map((placement) => [placement, list({ placement })]));
        const showIn = (placement: string) =>
          stage.store.outcomes.addImpressions(stage.dataset, [shown(lists.get(placement)!, ['i1'], { userId: 'u' })]);
        const write = () =>
          stage.store.events.upsert(
            stage.dataset,
            [1, 20, 47, 49].map((hours) =>
              event(`after ${hours}`, { event_type: 'buy', event_value: hours, ts: NOW + hours * HOUR_MS }),
            ),
          );
        const counted = async () => Promise.all([...lists.keys()].map(async (name) => (await assisted(name)).slice(2)));
        if (order === 'event first') await write();
        await showIn('default');
        await setWindow(48);
        await showIn('long');
        await setWindow(2);
        await showIn('short');
        if (order === 'impression first') await write();
        // Targets and value: events after 1 and 20 hours, after 1, 20 and 47, after 1.
        const expected = [
          [2, 21],
          [3, 68],
          [1, 1],
        ];
        assert.deepEqual(await counted(), expected, order);
        await setWindow(720);
        await showIn('default');
        await write();
        assert.deepEqual(await counted(), expected, 'written again');
        await stage.store.events.delete(stage.dataset, ['after 20']);
        assert.deepEqual(
          await counted(),
          [
            [1, 1],
            [2, 48],
            [1, 1],
          ],
          order,
        );
        await stage.store.events.delete(stage.dataset, ['after 1', 'after 47', 'after 49']);
        assert.deepEqual(await assisted(), [0, 0, 0, 0], order);
      }
    });

    test('an event is direct for the list it names and assisted for others that showed the item', async () => {
      await start();
      const [home, cart] = [list(), list({ placement: 'cart' })];
      await stage.store.outcomes.addImpressions(stage.dataset, [shown(home, ['i1']), shown(cart, ['i1'])]);
      await stage.store.events.upsert(stage.dataset, [event('e1', { recommendation_id: cart })]);
      assert.deepEqual(
        [await direct('home'), await direct('cart')],
        [
          [0, 0, 0, 0],
          [1, 0, 0, 0],
        ],
      );
      assert.deepEqual(
        [await assisted('home'), await assisted('cart')],
        [
          [1, 0, 0, 0],
          [0, 0, 0, 0],
        ],
      );
    });

    test('of events that came before their impressions, the earliest count, so many of a user and of a call', async () => {
      await start();
      const bought = (user_id: string, n: number, item_id = 'i1') =>
        event(`${user_id}-${n}`, { user_id, item_id, ts: NOW + MINUTE_MS + n, event_type: 'buy', event_value: 1 });
      const others = Array.from({ length: 1000 }, (_, n) => bought('u', 1 + n, 'i2'));
      await stage.store.events.upsert(stage.dataset, [bought('u', 1001), ...others.toReversed(), bought('u', 0)]);
      await stage.store.outcomes.addImpressions(stage.dataset, [shown(list(), ['i1'], { userId: 'u' })]);
      assert.deepEqual(await assisted(), [1, 1, 1, 1]);
      await start();
      const users = Array.from({ length: 12 }, (_, n) => `u${n}`);
      for (const user of users) {
        await stage.store.events.upsert(
          stage.dataset,
          Array.from({ length: 1001 }, (_, n) => bought(user, n)),
        );
      }
      await stage.store.outcomes.addImpressions(
        stage.dataset,
        users.map((userId) => shown(list({ user: userId }), ['i1'], { userId })),
      );
      assert.deepEqual(await assisted(), [10, 10, 10_000, 10_000]);
    });
  });
}
