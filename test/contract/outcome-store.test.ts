// What became of lists, counted in the write path: the same expectations on every database, however events arrive.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Dataset } from '../../src/domain/dataset.ts';
import { itemHash, userHash } from '../../src/domain/id-hash.ts';
import type { Project } from '../../src/domain/project.ts';
import { MAX_LIST_AGE_MS } from '../../src/domain/recommendation.ts';
import type { EventRecord } from '../../src/domain/record.ts';
import { seededRandom } from '../../src/domain/seeded-random.ts';
import { RecommendationIds } from '../../src/outcomes/recommendation-id.ts';
import { HOUR_MS, type OutcomeFigures } from '../../src/store/outcome-store.ts';
import type { Store } from '../../src/store/store.ts';
import { expectedFigures } from '../support/expected-figures.ts';
import { makeAccount, makeEvent, makeProject } from '../support/store-fixtures.ts';
import { assertCountedBytes } from '../support/stored-bytes.ts';
import { DIALECTS, openTestStore } from '../support/test-database.ts';

const ids = new RecommendationIds('a secret');
const NOW = Date.now();
const MINUTE_MS = 60_000;
const sumOf = (rows: OutcomeFigures[], figure: keyof OutcomeFigures) => rows.reduce((sum, row) => sum + row[figure], 0);

for (const dialect of DIALECTS) {
  describe(`outcomes on ${dialect}`, () => {
    let close: () => Promise<void>;
    let store: Store;
    let project: Project;
    let dataset: Dataset;

    before(async () => {
      ({ store, close } = await openTestStore(dialect));
    });
    after(() => close());

    async function start(): Promise<void> {
      project = await makeProject(store, await makeAccount(store));
      dataset = (await store.datasets.get(project.account_id, 'event', project.event_dataset_id))!;
    }

    const LIST = { user: 'u', placement: 'home', items: 3, createdMs: NOW, variant: '' };
    function list(change: Partial<typeof LIST> = {}): string {
      const { user, placement, items, createdMs, variant } = { ...LIST, ...change };
      const { account_id: accountId, project_id: projectId } = project;
      const experiment = variant ? { variant, experimentId: 'exp_1' } : { variant: null };
      return ids.make(
        { accountId, projectId, modelId: null, placement, ...experiment },
        { items, userId: user },
        createdMs,
      );
    }
    const event = (event_id: string, change: Partial<EventRecord> = {}) =>
      makeEvent({ event_id, user_id: 'u', item_id: 'i1', ts: NOW + MINUTE_MS, ...change });
    const shown = (
      recommendationId: string,
      itemIds: string[] | null,
      change: { userId?: string; ts?: number } = {},
    ) => ({
      ...{ recommendationId, itemIds, ts: NOW, userId: null, ...change },
    });
    async function totals(placement?: string): Promise<OutcomeFigures> {
      const query = { projectId: project.project_id, placement, fromHour: 0, toHour: 10_000_000 };
      const [rows, days] = [await store.outcomes.counts(query), await store.outcomes.counts({ ...query, by: 'day' })];
      for (const name of ['clicked', 'shown', 'targets'] as const) assert.equal(sumOf(days, name), sumOf(rows, name));
      const sum: Record<string, number> = {};
      for (const { placement: _, experiment_id, variant, hour, ...figures } of rows) {
        for (const [name, value] of Object.entries(figures)) sum[name] = (sum[name] ?? 0) + value;
      }
      return sum as unknown as OutcomeFigures;
    }
    const direct = async (placement?: string) => {
      const { clicked, converted, targets, value } = await totals(placement);
      return [clicked, converted, targets, value];
    };
    const assisted = async (placement?: string) => {
      const { assisted_clicked, assisted_converted, assisted_targets, assisted_value } = await totals(placement);
      return [assisted_clicked, assisted_converted, assisted_targets, assisted_value];
    };

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
      for (let round = 0; round < 2; round++) await store.events.upsert(dataset, events);
      await store.events.upsert(dataset, [...events].reverse());
      assert.deepEqual([...(await direct()), (await totals()).value_squares], [2, 2, 2, 25, 425]);
      assert.equal((await store.events.get(dataset.dataset_id, 'e1'))!.recommendation_id, recommendation_id);
      await assertCountedBytes(store, project.account_id);
    });

    test('an event that is replaced, moved to another list or deleted is taken back', async () => {
      await start();
      const [home, cart] = [list(), list({ placement: 'cart' })];
      await store.events.upsert(dataset, [event('e1', { recommendation_id: home, event_type: 'buy', event_value: 7 })]);
      await store.events.upsert(dataset, [event('e1', { recommendation_id: cart, event_type: 'buy', event_value: 9 })]);
      assert.deepEqual(
        [await direct('home'), await direct('cart')],
        [
          [0, 0, 0, 0],
          [1, 1, 1, 9],
        ],
      );
      await store.events.upsert(dataset, [event('e1')]);
      assert.deepEqual(await direct(), [0, 0, 0, 0]);
      for (const remove of [
        () => store.events.delete(dataset, ['e2']),
        () => store.events.deleteOfUser(dataset, 'u'),
        () => store.events.deleteBetween(dataset, NOW, NOW + HOUR_MS),
      ]) {
        await store.events.upsert(dataset, [event('e2', { recommendation_id: home, event_type: 'buy' })]);
        assert.deepEqual(await direct('home'), [1, 1, 1, 1]);
        await remove();
        assert.deepEqual(await direct('home'), [0, 0, 0, 0]);
      }
      await assertCountedBytes(store, project.account_id);
    });

    test('impressions count items once per list, and never more than the list had', async () => {
      await start();
      const [first, second, third] = [list(), list(), list()];
      for (let round = 0; round < 2; round++) {
        await store.outcomes.addImpressions(dataset, [shown(first, ['i1']), shown(first, ['i1', 'i2'])]);
        await store.outcomes.addImpressions(dataset, [shown(second, null)]);
        await store.outcomes.addImpressions(dataset, [shown(second, ['i1', 'i2', 'i3', 'i4'])]);
        await store.outcomes.addImpressions(dataset, [shown(third, ['i1', 'i2', 'i3', 'i4', 'i5'])]);
      }
      const { shown: items, shown_lists } = await totals();
      assert.deepEqual([items, shown_lists], [2 + 3 + 3, 3]);
      await store.outcomes.addImpressions(dataset, [shown(first, null)]);
      assert.equal((await totals()).shown, 9);
    });

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
        const write = () => store.events.upsert(dataset, events);
        if (order === 'event first') await write();
        await store.outcomes.addImpressions(dataset, impressions);
        if (order === 'impression first') await write();
        assert.deepEqual(await assisted('home'), [1, 1, 1, 30], order);
        assert.deepEqual(await assisted('cart'), [1, 1, 1, 30], order);
        for (const other of ['late', 'old', 'others']) assert.deepEqual(await assisted(other), [0, 0, 0, 0], other);
        assert.deepEqual(await direct(), [0, 0, 0, 0]);
        await store.events.delete(dataset, ['e1']);
        assert.deepEqual(await assisted(), [0, 0, 0, 0], order);
      }
    });

    test('an item assists events for as long as its project said when it was shown, also when they are taken back', async () => {
      for (const order of ['impression first', 'event first']) {
        await start();
        const setWindow = (assist_window_hours: number) =>
          store.projects.update(project.account_id, project.project_id, { assist_window_hours });
        const lists = new Map(['default', 'long', 'short'].map((placement) => [placement, list({ placement })]));
        const showIn = (placement: string) =>
          store.outcomes.addImpressions(dataset, [shown(lists.get(placement)!, ['i1'], { userId: 'u' })]);
        const write = () =>
          store.events.upsert(
            dataset,
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
        await store.events.delete(dataset, ['after 20']);
        assert.deepEqual(
          await counted(),
          [
            [1, 1],
            [2, 48],
            [1, 1],
          ],
          order,
        );
        await store.events.delete(dataset, ['after 1', 'after 47', 'after 49']);
        assert.deepEqual(await assisted(), [0, 0, 0, 0], order);
      }
    });

    test('an event is direct for the list it names and assisted for others that showed the item', async () => {
      await start();
      const [home, cart] = [list(), list({ placement: 'cart' })];
      await store.outcomes.addImpressions(dataset, [shown(home, ['i1']), shown(cart, ['i1'])]);
      await store.events.upsert(dataset, [event('e1', { recommendation_id: cart })]);
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

    test('events count for the hour of the list, and those of lists over 31 days old not at all', async () => {
      await start();
      const createdMs = NOW - 3 * HOUR_MS;
      const old = list({ createdMs: NOW - MAX_LIST_AGE_MS - 1000 });
      const { outcomes } = await store.events.upsert(dataset, [
        event('e1', { recommendation_id: list({ createdMs }) }),
        event('e2', { recommendation_id: old }),
      ]);
      assert.deepEqual(outcomes, ['stored', 'stored']);
      const hour = Math.floor(createdMs / HOUR_MS);
      const rows = await store.outcomes.counts({ projectId: project.project_id, fromHour: 0, toHour: 10_000_000 });
      assert.deepEqual(
        rows.map((row) => [row.placement, row.hour, row.clicked]),
        [['home', hour, 1]],
      );
      assert.deepEqual(await store.outcomes.counts({ projectId: project.project_id, fromHour: 0, toHour: hour }), []);
      assert.deepEqual(await store.outcomes.addImpressions(dataset, [shown(old, null)]), ['recorded']);
      assert.equal((await totals()).shown, 0);
    });

    test('an event with a list of a project that does not use the dataset is refused alone', async () => {
      await start();
      const foreign = list();
      await start();
      const { outcomes } = await store.events.upsert(dataset, [
        event('e1', { recommendation_id: foreign }),
        event('e2', { recommendation_id: list() }),
        event('e3'),
      ]);
      assert.deepEqual(outcomes, ['foreign', 'stored', 'stored']);
      assert.equal(await store.events.get(dataset.dataset_id, 'e1'), null);
      assert.deepEqual(await store.outcomes.addImpressions(dataset, [shown(foreign, null), shown(list(), null)]), [
        'foreign',
        'recorded',
      ]);
    });

    test('what a node served is counted once, however often it says so', async () => {
      await start();
      const origin = { accountId: project.account_id, projectId: project.project_id, modelId: null, placement: 'home' };
      const hour = Math.floor(NOW / HOUR_MS);
      const batch = {
        counts: [{ origin: { ...origin, variant: null }, hour, lists: 5, items: 50 }],
        visitors: [],
      };
      for (const batchId of ['a', 'a', 'b']) {
        await store.outcomes.addServed(dataset, { ...batch, batchId: `${project.project_id}-${batchId}` });
      }
      const { served, served_items } = await totals();
      assert.deepEqual([served, served_items], [10, 100]);
    });

    test('users of an experiment count once each, with the sums of their values', async () => {
      await start();
      const { account_id: accountId, project_id: projectId } = project;
      const origin = { accountId, projectId, modelId: null, placement: 'home', experimentId: 'exp_1' };
      const visitors = ['a', 'b', 'c'].map((user) => ({
        origin: { ...origin, variant: 'new' },
        userHash: userHash(accountId, user),
      }));
      await store.outcomes.addServed(dataset, { batchId: projectId, counts: [], visitors: [...visitors, ...visitors] });
      const [ofA, ofB, ofD] = ['a', 'b', 'd'].map((user) => list({ user, variant: 'new' }));
      await store.events.upsert(dataset, [
        event('e1', { recommendation_id: ofA, event_type: 'buy', event_value: 3 }),
        event('e2', { recommendation_id: ofA, event_type: 'buy', event_value: 4, item_id: 'i2' }),
        event('e3', { recommendation_id: ofB }),
        event('e4', { recommendation_id: ofD, event_type: 'buy', event_value: 2, user_id: 'signed-in-later' }),
      ]);
      const expected = { variant: 'new', users: 4, clicked_users: 3, target_users: 2, value_users: 2 };
      assert.deepEqual(await store.outcomes.usersOf(projectId, 'exp_1'), [
        { ...expected, value_sum: 9, value_squares: 49 + 4 },
      ]);
      await store.events.delete(dataset, ['e2', 'e3']);
      assert.deepEqual(await store.outcomes.usersOf(projectId, 'exp_1'), [
        { ...expected, clicked_users: 2, value_sum: 5, value_squares: 9 + 4 },
      ]);
      assert.deepEqual(await store.outcomes.usersOf(projectId, 'exp_2'), []);
    });

    test('items shown again and again without an event are known, also after a visitor became a user', async () => {
      await start();
      const impressions = Array.from({ length: 3 }, () => shown(list({ user: 'visitor' }), ['i1', 'i2']));
      await store.outcomes.addImpressions(dataset, impressions);
      await store.events.upsert(dataset, [event('e1', { user_id: 'visitor', item_id: 'i2' })]);
      const inVain = (user: string, after = 3) =>
        store.outcomes.shownInVain(dataset.dataset_id, {
          ...{ userHash: userHash(project.account_id, user), after, sinceTs: NOW - HOUR_MS },
        });
      assert.deepEqual(await inVain('visitor'), new Set([itemHash('i1')]));
      assert.deepEqual(await inVain('visitor', 4), new Set());
      const users = (await store.datasets.get(project.account_id, 'user', project.user_dataset_id))!;
      await store.mergeUsers({ users, events: dataset }, { from: 'visitor', into: 'u' });
      assert.deepEqual([await inVain('visitor'), await inVain('u')], [new Set(), new Set([itemHash('i1')])]);
      // An id that was made before the merge still names the same list.
      const recommendation_id = impressions[0].recommendationId;
      await store.events.upsert(dataset, [event('e2', { recommendation_id }), event('e3', { recommendation_id })]);
      assert.equal((await totals()).clicked, 1);
      await store.outcomes.forgetUser(dataset, 'u');
      assert.deepEqual(await inVain('u'), new Set());
      assert.equal((await totals()).clicked, 1, 'counters stay');
    });

    test('nothing is left of a deleted project', async () => {
      await start();
      await store.events.upsert(dataset, [event('e1', { recommendation_id: list({ variant: 'new' }) })]);
      await store.projects.delete(project.account_id, project.project_id);
      const series = 'SELECT series_no FROM outcome_series';
      const [{ left }] = await store.database.all<{ left: number }>(
        `SELECT (SELECT count(*) FROM outcome_series WHERE project_id = ?)
           + (SELECT count(*) FROM outcome_hour WHERE series_no NOT IN (${series}))
           + (SELECT count(*) FROM outcome_day WHERE series_no NOT IN (${series}))
           + (SELECT count(*) FROM outcome_user WHERE series_no NOT IN (${series})) AS left`,
        [project.project_id],
      );
      assert.equal(left, 0);
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
            await store.outcomes.addImpressions(dataset, [impression]);
          } else if (random.chance(0.2)) {
            const eventIds = [...stored.keys()].filter(() => random.chance(0.3));
            await store.events.delete(dataset, eventIds);
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
            await store.events.upsert(dataset, [...batch.values()]);
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
