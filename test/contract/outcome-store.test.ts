// What became of lists, counted in the write path: the same expectations on every database, however events arrive.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HOUR_MS } from '../../src/base/durations.ts';
import { itemHash, userHash } from '../../src/base/id-hash.ts';
import { seededRandom } from '../../src/base/seeded-random.ts';
import { MAX_LIST_AGE_MS } from '../../src/domain/recommendation.ts';
import type { EventRecord } from '../../src/domain/record.ts';
import { FORGET_BATCHES_SQL } from '../../src/store/sql/forget-batches.ts';
import { expectedFigures } from '../support/expected-figures.ts';
import { newJob } from '../support/new-ids.ts';
import { MINUTE_MS, NOW, outcomeStage } from '../support/outcome-stage.ts';
import { makeDataset } from '../support/store-fixtures.ts';
import { assertCountedBytes } from '../support/stored-bytes.ts';
import { DIALECTS } from '../support/test-database.ts';

for (const dialect of DIALECTS) {
  describe(`outcomes on ${dialect}`, () => {
    const stage = outcomeStage(dialect);
    const { start, list, event, shown, totals, direct } = stage;

    test('an item is clicked once however many events carry the list, and events sent again change nothing', async () => {
      await start();
      const recommendation_id = list();
      const events = [
        event('e1', { recommendation_id }),
        event('e2', { recommendation_id }),
        event('e3', { recommendation_id, event_type: 'buy', event_value: 20 }),
        event('e4', { recommendation_id, item_id: 'i2', event_type: 'buy', event_value: 5 }),
        event('e5', { item_id: 'i3' }),
      ];
      for (let round = 0; round < 2; round++) await stage.store.events.upsert(stage.dataset, events);
      await stage.store.events.upsert(stage.dataset, [...events].reverse());
      assert.deepEqual([...(await direct()), (await totals()).value_squares], [2, 2, 2, 25, 425]);
      assert.equal(
        (await stage.store.events.get(stage.dataset.dataset_id, 'e1'))!.recommendation_id,
        recommendation_id,
      );
      await assertCountedBytes(stage.store, stage.project.account_id);
    });

    test('an event that is replaced, moved to another list or deleted is taken back', async () => {
      await start();
      const [home, cart] = [list(), list({ placement: 'cart' })];
      await stage.store.events.upsert(stage.dataset, [
        event('e1', { recommendation_id: home, event_type: 'buy', event_value: 7 }),
      ]);
      await stage.store.events.upsert(stage.dataset, [
        event('e1', { recommendation_id: cart, event_type: 'buy', event_value: 9 }),
      ]);
      assert.deepEqual(
        [await direct('home'), await direct('cart')],
        [
          [0, 0, 0, 0],
          [1, 1, 1, 9],
        ],
      );
      await stage.store.events.upsert(stage.dataset, [event('e1')]);
      assert.deepEqual(await direct(), [0, 0, 0, 0]);
      for (const remove of [
        () => stage.store.events.delete(stage.dataset, ['e2']),
        () => stage.store.events.deleteOfUser(stage.dataset, 'u'),
        () => stage.store.events.deleteBetween(stage.dataset, NOW, NOW + HOUR_MS),
      ]) {
        await stage.store.events.upsert(stage.dataset, [event('e2', { recommendation_id: home, event_type: 'buy' })]);
        assert.deepEqual(await direct('home'), [1, 1, 1, 1]);
        await remove();
        assert.deepEqual(await direct('home'), [0, 0, 0, 0]);
      }
      await assertCountedBytes(stage.store, stage.project.account_id);
    });

    test('impressions count items once per list, and never more than the list had', async () => {
      await start();
      const [first, second, third] = [list(), list(), list()];
      for (let round = 0; round < 2; round++) {
        await stage.store.outcomes.addImpressions(stage.dataset, [shown(first, ['i1']), shown(first, ['i1', 'i2'])]);
        await stage.store.outcomes.addImpressions(stage.dataset, [shown(second, null)]);
        await stage.store.outcomes.addImpressions(stage.dataset, [shown(second, ['i1', 'i2', 'i3', 'i4'])]);
        await stage.store.outcomes.addImpressions(stage.dataset, [shown(third, ['i1', 'i2', 'i3', 'i4', 'i5'])]);
      }
      const { shown: items, shown_lists } = await totals();
      assert.deepEqual([items, shown_lists], [2 + 3 + 3, 3]);
      await stage.store.outcomes.addImpressions(stage.dataset, [shown(first, null)]);
      assert.equal((await totals()).shown, 9);
    });

    test('events count for the hour of the list, and those of lists over 31 days old not at all', async () => {
      await start();
      const createdMs = NOW - 3 * HOUR_MS;
      const old = list({ createdMs: NOW - MAX_LIST_AGE_MS - 1000 });
      const { outcomes } = await stage.store.events.upsert(stage.dataset, [
        event('e1', { recommendation_id: list({ createdMs }) }),
        event('e2', { recommendation_id: old }),
      ]);
      assert.deepEqual(outcomes, ['stored', 'stored']);
      const hour = Math.floor(createdMs / HOUR_MS);
      const rows = await stage.store.outcomes.counts({
        projectId: stage.project.project_id,
        fromHour: 0,
        toHour: 10_000_000,
      });
      assert.deepEqual(
        rows.map((row) => [row.placement, row.hour, row.clicked]),
        [['home', hour, 1]],
      );
      assert.deepEqual(
        await stage.store.outcomes.counts({ projectId: stage.project.project_id, fromHour: 0, toHour: hour }),
        [],
      );
      for (const by of ['hour', 'day', 'total'] as const) {
        for (const placement of [undefined, 'home']) {
          const within = async (fromHour: number, toHour: number) => {
            const query = { projectId: stage.project.project_id, ...(placement && { placement }), by };
            return (await stage.store.outcomes.counts({ ...query, fromHour, toHour })).length;
          };
          const [from, to] = by === 'hour' ? [hour, hour + 1] : [hour - (hour % 24), hour - (hour % 24) + 24];
          const found = [await within(0, from), await within(from, to), await within(to, 10_000_000)];
          assert.deepEqual(found, [0, 1, 0], `by ${by}`);
        }
      }
      assert.deepEqual(await stage.store.outcomes.addImpressions(stage.dataset, [shown(old, null)]), ['recorded']);
      assert.equal((await totals()).shown, 0);
    });

    test('a project that is deleted takes its figures along, and those of others stay', async () => {
      await start();
      const gone = stage.project;
      await stage.store.events.upsert(stage.dataset, [event('e1', { recommendation_id: list() })]);
      await start();
      await stage.store.events.upsert(stage.dataset, [event('e1', { recommendation_id: list() })]);
      const { account_id, project_id } = gone;
      const figures = async () =>
        (await stage.store.outcomes.counts({ projectId: project_id, fromHour: 0, toHour: 10_000_000 })).length;
      const job = newJob({ account_id, project_id, job_type: 'QUERYING', job_data: {} });
      await stage.store.jobs.submit(job);
      assert.deepEqual([await stage.store.projects.delete(account_id, project_id), await figures()], ['in-use', 1]);
      await stage.store.jobs.cancel(account_id, project_id, job.job_id, NOW);
      await stage.store.projects.delete(account_id, project_id);
      assert.equal(await figures(), 0);
      assert.deepEqual(await direct(), [1, 0, 0, 0]);
    });

    test('figures are told by hour, by day and for the whole time', async () => {
      await start();
      const dayMs = 24 * HOUR_MS;
      const day = Math.floor(NOW / dayMs) - 5;
      const made = [1, 1, 2, 26].map((hours) => list({ createdMs: day * dayMs + hours * HOUR_MS }));
      const events = made.map((recommendation_id, n) => event(`e${n}`, { recommendation_id, item_id: `i${n}` }));
      await stage.store.events.upsert(stage.dataset, events);
      const figures = async (by: 'hour' | 'day' | 'total', fromHour = day * 24, toHour = 10_000_000) => {
        const query = { projectId: stage.project.project_id, fromHour, toHour, by };
        return (await stage.store.outcomes.counts(query)).map(({ hour, clicked }) => [hour - day * 24, clicked]);
      };
      assert.deepEqual(await figures('hour'), [
        [1, 2],
        [2, 1],
        [26, 1],
      ]);
      assert.deepEqual(await figures('day'), [
        [0, 3],
        [24, 1],
      ]);
      assert.deepEqual(await figures('total'), [[0, 4]]);
      assert.deepEqual(await figures('day', day * 24 + 5, day * 24 + 6), [[0, 3]], 'a day at an end counts whole');
      const elsewhere = list({ placement: 'cart', createdMs: day * dayMs });
      await stage.store.events.upsert(stage.dataset, [event('last', { recommendation_id: elsewhere })]);
      for (const by of ['hour', 'day', 'total'] as const) {
        const rows = await stage.store.outcomes.counts({
          projectId: stage.project.project_id,
          fromHour: 0,
          toHour: 10_000_000,
          by,
        });
        assert.deepEqual([...new Set(rows.map(({ placement }) => placement))], ['cart', 'home'], by);
        const ofCart = await stage.store.outcomes.counts({
          projectId: stage.project.project_id,
          fromHour: 0,
          toHour: 10_000_000,
          by,
          placement: 'cart',
        });
        assert.deepEqual(
          ofCart.map(({ placement }) => placement),
          ['cart'],
        );
      }
    });

    test('an event with a list of a project that does not use the dataset is refused alone', async () => {
      await start();
      const foreign = list();
      await start();
      const { outcomes } = await stage.store.events.upsert(stage.dataset, [
        event('e1', { recommendation_id: foreign }),
        event('e2', { recommendation_id: list() }),
        event('e3'),
      ]);
      assert.deepEqual(outcomes, ['foreign', 'stored', 'stored']);
      assert.equal(await stage.store.events.get(stage.dataset.dataset_id, 'e1'), null);
      assert.deepEqual(
        await stage.store.outcomes.addImpressions(stage.dataset, [shown(foreign, null), shown(list(), null)]),
        ['foreign', 'recorded'],
      );
    });

    test('an event with such a list is refused for it in a full dataset too, and takes nothing of the plan', async () => {
      await start();
      const foreign = list();
      await start();
      const { store, dataset } = stage;
      const refused = event('e1', { recommendation_id: foreign, attributes: { note: 'x'.repeat(2000) } });
      const full = { ...dataset, num_shards: 0 };
      assert.deepEqual((await store.events.upsert(full, [refused, event('e2')])).outcomes, ['foreign', 'full']);
      await store.accounts.update(dataset.account_id, { plan: { max_storage_bytes: 500 } });
      const { outcomes } = await store.events.upsert(dataset, [refused, event('e2'), event('e2')]);
      assert.deepEqual(outcomes, ['foreign', 'stored', 'stored']);
    });

    test('what a node served is counted once, however often it says so', async () => {
      await start();
      const origin = {
        accountId: stage.project.account_id,
        projectId: stage.project.project_id,
        modelId: null,
        placement: 'home',
      };
      const hour = Math.floor(NOW / HOUR_MS);
      const batch = {
        counts: [{ origin: { ...origin, variant: null }, hour, lists: 5, items: 50 }],
        visitors: [],
      };
      for (const batchId of ['a', 'a', 'b']) {
        await stage.store.outcomes.addServed(stage.dataset, {
          ...batch,
          batchId: `${stage.project.project_id}-${batchId}`,
        });
      }
      const { served, served_items } = await totals();
      assert.deepEqual([served, served_items], [10, 100]);
    });

    test('batches that are too old are removed by an index, and the others stay', async () => {
      await start();
      const { dataset, store } = stage;
      const add = (batchId: string) => store.outcomes.addServed(dataset, { batchId, counts: [], visitors: [] });
      await add(`${dataset.dataset_id}/first`);
      const [{ dataset_no }] = await store.database.all<{ dataset_no: number }>(
        'SELECT dataset_no FROM outcome_served WHERE batch_id = ?',
        [`${dataset.dataset_id}/first`],
      );
      await store.database.atomic([
        {
          sql: `INSERT INTO outcome_served (batch_id, dataset_no, created_ts)
                WITH RECURSIVE batch (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM batch WHERE n < 5000)
                SELECT ? || n, CAST(? AS INTEGER), CAST(? AS BIGINT) + CAST(n AS BIGINT) * ${HOUR_MS} FROM batch`,
          params: [dataset.dataset_id, dataset_no, NOW - MAX_LIST_AGE_MS - 10.5 * HOUR_MS],
        },
        { sql: 'ANALYZE' },
      ]);
      const explain = dialect === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN';
      const plan = await store.database.all(`${explain} ${FORGET_BATCHES_SQL}`, [dataset_no, NOW - MAX_LIST_AGE_MS]);
      assert.match(JSON.stringify(plan), /outcome_served_by_time/);
      await add(`${dataset.dataset_id}/last`);
      const left = await store.database.all('SELECT batch_id FROM outcome_served WHERE dataset_no = ?', [dataset_no]);
      assert.equal(left.length, 2 + 5000 - 10);
    });

    test('items shown again and again without an event are known, also after a visitor became a user', async () => {
      await start();
      const impressions = Array.from({ length: 3 }, () => shown(list({ user: 'visitor' }), ['i1', 'i2']));
      await stage.store.outcomes.addImpressions(stage.dataset, impressions);
      await stage.store.events.upsert(stage.dataset, [event('e1', { user_id: 'visitor', item_id: 'i2' })]);
      const inVain = (user: string, after = 3) =>
        stage.store.outcomes.shownInVain(stage.dataset.dataset_id, {
          userHash: userHash(stage.project.account_id, user),
          after,
          sinceTs: NOW - HOUR_MS,
        });
      assert.deepEqual(await inVain('visitor'), new Set([itemHash('i1')]));
      assert.deepEqual(await inVain('visitor', 4), new Set());
      const elsewhere = await makeDataset(stage.store, stage.project.account_id, 'event');
      const asked = { userHash: userHash(stage.project.account_id, 'visitor'), after: 3, sinceTs: NOW - HOUR_MS };
      assert.deepEqual(await stage.store.outcomes.shownInVain(elsewhere.dataset_id, asked), new Set());
      const users = (await stage.store.datasets.get(stage.project.account_id, 'user', stage.project.user_dataset_id))!;
      await stage.store.mergeUsers({ users, events: stage.dataset }, { from: 'visitor', into: 'u' });
      assert.deepEqual([await inVain('visitor'), await inVain('u')], [new Set(), new Set([itemHash('i1')])]);
      // An id that was made before the merge still names the same list.
      const recommendation_id = impressions[0].recommendationId;
      await stage.store.events.upsert(stage.dataset, [
        event('e2', { recommendation_id }),
        event('e3', { recommendation_id }),
      ]);
      assert.equal((await totals()).clicked, 1);
      await stage.store.outcomes.forgetUser(stage.dataset, 'u');
      assert.deepEqual(await inVain('u'), new Set());
      assert.equal((await totals()).clicked, 1, 'counters stay');
    });

    test('whatever happens in whatever order, the counters are those of what is stored in the end', async () => {
      const random = seededRandom(11);
      for (let round = 0; round < 4; round++) {
        await start();
        const lists = Array.from({ length: 6 }, (_, n) =>
          list({ user: `u${n % 3}`, items: 4, placement: `p${n % 2}` }),
        );
        const stored = new Map<string, EventRecord>();
        const impressions = new Map<string, ReturnType<typeof shown>>();
        for (let step = 0; step < 25; step++) {
          if (random.chance(0.3)) {
            const at = random.below(lists.length);
            const ts = NOW + at * MINUTE_MS;
            const impression = shown(lists[at], [`i${random.below(4)}`], { userId: `u${at % 3}`, ts });
            impressions.set(JSON.stringify(impression), impression);
            await stage.store.outcomes.addImpressions(stage.dataset, [impression]);
          } else if (random.chance(0.2)) {
            const eventIds = [...stored.keys()].filter(() => random.chance(0.3));
            await stage.store.events.delete(stage.dataset, eventIds);
            for (const id of eventIds) stored.delete(id);
          } else {
            const batch = new Map<string, EventRecord>();
            for (let n = random.below(8); n >= 0; n--) {
              const at = random.below(lists.length);
              const made = event(`e${random.below(20)}`, {
                user_id: `u${random.below(3)}`,
                item_id: `i${random.below(4)}`,
                ts: NOW + random.below(10) * MINUTE_MS + (random.chance(0.2) ? 24 * HOUR_MS : 0),
                event_type: random.chance(0.4) ? 'buy' : 'view',
                event_value: 1 + random.below(5),
                ...(random.chance(0.5) && { recommendation_id: lists[at] }),
              });
              batch.set(made.event_id, made);
            }
            await stage.store.events.upsert(stage.dataset, [...batch.values()]);
            for (const [id, made] of batch) stored.set(id, made);
          }
        }
        for (const n of [0, 1]) {
          const own = lists.filter((_, at) => at % 2 === n);
          const expected = expectedFigures(own, [...stored.values()], [...impressions.values()]);
          const { served, served_items, shown_lists, ...figures } = await totals(`p${n}`);
          for (const [name, value] of Object.entries(expected)) {
            assert.equal(figures[name as keyof typeof figures] ?? 0, value, `${name} of p${n} in round ${round}`);
          }
        }
      }
    });
  });
}
