// Values of any size in the counters, on every database: an event with one can always be taken back.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HOUR_MS } from '../../src/base/durations.ts';
import { MAX_COUNTED_VALUE } from '../../src/store/outcomes/outcome-rules.ts';
import { NOW, outcomeStage } from '../support/outcome-stage.ts';
import { DIALECTS } from '../support/test-database.ts';

const HUGE = [1e154, 1.7e308, 1.7e308, -1.7e308];

for (const dialect of DIALECTS) {
  describe(`values of events on ${dialect}`, () => {
    const stage = outcomeStage(dialect);
    const { start, list, event, shown, totals, direct, assisted } = stage;
    const users = () => stage.store.outcomes.usersOf(stage.project.project_id, 'exp_1');

    test('events with huge values are counted, replaced and deleted as others are', async () => {
      await start();
      const [clicked, seen] = [list({ variant: 'new' }), list({ placement: 'cart' })];
      await stage.store.outcomes.addImpressions(stage.dataset, [shown(seen, ['i1'], { userId: 'u' })]);
      const events = HUGE.map((event_value, n) =>
        event(`e${n}`, { recommendation_id: clicked, event_type: 'buy', event_value }),
      );
      for (const remove of [
        (ids: string[]) => stage.store.events.delete(stage.dataset, ids),
        () => stage.store.events.deleteOfUser(stage.dataset, 'u'),
        () => stage.store.events.deleteBetween(stage.dataset, NOW, NOW + HOUR_MS),
        (ids: string[]) =>
          stage.store.events.upsert(
            stage.dataset,
            ids.map((id) => event(id, { item_id: 'i3' })),
          ),
      ]) {
        for (const made of events) await stage.store.events.upsert(stage.dataset, [made]);
        assert.deepEqual(await direct('home'), [1, 1, 4, 2 * MAX_COUNTED_VALUE]);
        assert.deepEqual(await assisted('cart'), [1, 1, 4, 2 * MAX_COUNTED_VALUE]);
        const [{ value_sum, value_squares }] = await users();
        assert.deepEqual([value_sum, value_squares], [2 * MAX_COUNTED_VALUE, (2 * MAX_COUNTED_VALUE) ** 2]);
        await remove(events.map(({ event_id }) => event_id));
        assert.deepEqual([...(await direct('home')), ...(await assisted('cart'))], Array(8).fill(0));
        const left = await totals();
        assert.deepEqual([left.value_squares, left.assisted_value_squares], [0, 0]);
        const [none] = await users();
        assert.deepEqual([none.target_users, none.value_sum, none.value_squares], [0, 0, 0]);
      }
    });

    test('nothing is left of values that were taken back one by one', async () => {
      await start();
      const [clicked, seen] = [list({ variant: 'new' }), list({ placement: 'cart' })];
      await stage.store.outcomes.addImpressions(stage.dataset, [shown(seen, ['i1'], { userId: 'u' })]);
      for (const [event_id, event_value] of [
        ['e1', 19.9],
        ['e2', 29.95],
      ] as const) {
        const order = event(event_id, { recommendation_id: clicked, event_type: 'buy', event_value });
        await stage.store.events.upsert(stage.dataset, [order]);
      }
      for (const event_id of ['e1', 'e2']) await stage.store.events.delete(stage.dataset, [event_id]);
      const { value, value_squares, assisted_value, assisted_value_squares } = await totals();
      assert.deepEqual([value, value_squares, assisted_value, assisted_value_squares], [0, 0, 0, 0]);
      const none = { clicked_users: 0, target_users: 0, value_users: 0, value_sum: 0, value_squares: 0 };
      assert.deepEqual(await users(), [{ variant: 'new', users: 1, ...none }]);
    });

    test('a huge value that is corrected leaves the sums of squares of other values as they were', async () => {
      await start();
      const seen = list({ user: 'u0', placement: 'cart' });
      await stage.store.outcomes.addImpressions(stage.dataset, [shown(seen, ['i1'])]);
      const order = (n: number, event_value: number) =>
        event(`e${n}`, {
          user_id: `u${n % 3}`,
          recommendation_id: list({ user: `u${n % 3}`, variant: 'new' }),
          event_type: 'buy',
          event_value,
        });
      const orders = [10.25, 20.5, 3_000_000, 40.75, 5, 60.5].map((value, n) => order(n, value));
      await stage.store.events.upsert(stage.dataset, orders);
      const squares = async () => {
        const { value_squares, assisted_value_squares } = await totals();
        const [total] = await stage.store.outcomes.counts({
          projectId: stage.project.project_id,
          placement: 'home',
          fromHour: 0,
          toHour: 10_000_000,
          by: 'total',
        });
        return [value_squares, total.value_squares, assisted_value_squares, (await users())[0].value_squares];
      };
      const before = await squares();
      const sum = orders.reduce((all, { event_value }) => all + event_value ** 2, 0);
      assert.deepEqual([before[0], before[2]], [sum, 10.25 ** 2 + 40.75 ** 2]);
      for (let n = 0; n < 3; n++)
        await stage.store.events.upsert(stage.dataset, [order(n, 1_763_000_000_000 / (n + 1))]);
      const wrong = await squares();
      for (const value of wrong.slice(0, 2))
        assert.ok(Math.abs(value / (1 + 0.8815 ** 2 + 0.5876666666666667 ** 2) / 1e24 - 1) < 1e-9);
      await stage.store.events.upsert(stage.dataset, orders.slice(0, 3));
      for (const [at, value] of (await squares()).entries()) {
        assert.ok(Math.abs(value - before[at]) < 1, `${value} instead of ${before[at]}`);
      }
    });

    test('a sum that an older version stored in one column takes ordinary values from then on', async () => {
      await start();
      const recommendation_id = list({ variant: 'new' });
      const order = (n: number) => event(`e${n}`, { recommendation_id, event_type: 'buy', event_value: 2 ** 40 });
      await stage.store.events.upsert(stage.dataset, [order(1)]);
      const { project_id } = stage.project;
      const older = (table: string, where: string) => ({
        sql: `UPDATE ${table} SET value_squares = value_squares + value_squares_high, value_squares_high = 0 WHERE ${where}`,
        params: [project_id],
      });
      await stage.store.database.atomic([
        older('outcome_series', 'project_id = ?'),
        older('outcome_hour', 'series_no IN (SELECT series_no FROM outcome_series WHERE project_id = ?)'),
      ]);
      const other = event('e2', {
        user_id: 'v',
        recommendation_id: list({ user: 'v', variant: 'new' }),
        event_type: 'buy',
        event_value: 3,
      });
      await stage.store.events.upsert(stage.dataset, [other]);
      await stage.store.events.delete(stage.dataset, ['e1']);
      assert.deepEqual([(await totals()).value_squares, (await users())[0].value_squares], [9, 9]);
    });

    test('the sum of many values at the limit is exact to the cent of an ordinary one', async () => {
      await start();
      const recommendation_id = list({ variant: 'new' });
      const huge = Array.from({ length: 500 }, (_, n) =>
        event(`e${n}`, { recommendation_id, event_type: 'buy', event_value: n % 2 === 0 ? 1e300 : MAX_COUNTED_VALUE }),
      );
      const own = event('own', { recommendation_id, event_type: 'buy', event_value: 29.9 });
      await stage.store.events.upsert(stage.dataset, [...huge, own]);
      const { value, value_squares } = await totals();
      assert.ok(Math.abs(value - 500 * MAX_COUNTED_VALUE - 29.9) < 0.1, `${value}`);
      assert.ok(Math.abs(value_squares / (500 * MAX_COUNTED_VALUE ** 2) - 1) < 1e-9, `${value_squares}`);
      assert.ok(Math.abs((await users())[0].value_squares / (500 * MAX_COUNTED_VALUE) ** 2 - 1) < 1e-9);
    });

    test('a user whose stored sum is huge already blocks no event', async () => {
      await start();
      const recommendation_id = list({ variant: 'new' });
      await stage.store.events.upsert(stage.dataset, [event('e1', { recommendation_id, event_type: 'buy' })]);
      await stage.store.database.atomic([
        {
          sql: `UPDATE outcome_user SET value = 1e200 WHERE series_no IN (
                  SELECT series_no FROM outcome_series WHERE project_id = ?)`,
          params: [stage.project.project_id],
        },
      ]);
      await stage.store.events.upsert(stage.dataset, [event('e2', { recommendation_id, event_type: 'buy' })]);
      await stage.store.events.delete(stage.dataset, ['e1', 'e2']);
      assert.deepEqual(await direct(), [0, 0, 0, 0]);
      const [{ target_users, value_sum, value_squares }] = await users();
      assert.deepEqual([target_users, Number.isFinite(value_sum), Number.isFinite(value_squares)], [0, true, true]);
    });
  });
}
