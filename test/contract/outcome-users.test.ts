// Users of experiments on every database: each counts once, and what is kept about them goes.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ExperimentWatch } from '../../src/automation/experiment-watch.ts';
import { DAY_MS, HOUR_MS } from '../../src/base/durations.ts';
import { userHash } from '../../src/base/id-hash.ts';
import type { Dataset } from '../../src/domain/dataset.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { FORGET_VISITOR_SQL, MERGE_VISITOR_SQL } from '../../src/store/sql/visitor-rows.ts';
import { newId } from '../support/new-ids.ts';
import { NOW, outcomeStage } from '../support/outcome-stage.ts';
import { makeProject } from '../support/store-fixtures.ts';
import { DIALECTS } from '../support/test-database.ts';

for (const dialect of DIALECTS) {
  describe(`users of experiments on ${dialect}`, () => {
    const stage = outcomeStage(dialect);
    const { start, list, event, shown } = stage;

    test('users of an experiment count once each, with the sums of their values', async () => {
      await start();
      const { account_id: accountId, project_id: projectId } = stage.project;
      const origin = { accountId, projectId, modelId: null, placement: 'home', experimentId: 'exp_1' };
      const visitors = ['a', 'b', 'c'].map((user) => ({
        origin: { ...origin, variant: 'new' },
        userHash: userHash(accountId, user),
      }));
      await stage.store.outcomes.addServed(stage.dataset, {
        batchId: projectId,
        counts: [],
        visitors: [...visitors, ...visitors],
      });
      const [ofA, ofB, ofD] = ['a', 'b', 'd'].map((user) => list({ user, variant: 'new' }));
      await stage.store.events.upsert(stage.dataset, [
        event('e1', { recommendation_id: ofA, event_type: 'buy', event_value: 3 }),
        event('e2', { recommendation_id: ofA, event_type: 'buy', event_value: 4, item_id: 'i2' }),
        event('e3', { recommendation_id: ofB }),
        event('e4', { recommendation_id: ofD, event_type: 'buy', event_value: 2, user_id: 'signed-in-later' }),
      ]);
      const expected = { variant: 'new', users: 4, clicked_users: 3, target_users: 2, value_users: 2 };
      assert.deepEqual(await stage.store.outcomes.usersOf(projectId, 'exp_1'), [
        { ...expected, value_sum: 9, value_squares: 49 + 4 },
      ]);
      await stage.store.events.delete(stage.dataset, ['e2', 'e3']);
      assert.deepEqual(await stage.store.outcomes.usersOf(projectId, 'exp_1'), [
        { ...expected, clicked_users: 2, value_sum: 5, value_squares: 9 + 4 },
      ]);
      assert.deepEqual(await stage.store.outcomes.usersOf(projectId, 'exp_2'), []);
    });

    test('a visitor of an experiment who becomes a user stays one visitor, and what is deleted is taken back', async () => {
      await start();
      const { account_id: accountId, project_id: projectId, user_dataset_id } = stage.project;
      const recommendation_id = list({ user: 'visitor', variant: 'new' });
      const forNobody = list({ user: null, variant: 'new' });
      await stage.store.outcomes.addImpressions(stage.dataset, [
        shown(recommendation_id, ['i1', 'i2'], { userId: 'visitor' }),
        shown(forNobody, ['i1'], { userId: 'visitor' }),
      ]);
      await stage.store.events.upsert(stage.dataset, [
        event('e0', { recommendation_id, user_id: 'visitor', item_id: 'i2' }),
      ]);
      const users = (await stage.store.datasets.get(accountId, 'user', user_dataset_id))!;
      await stage.store.mergeUsers({ users, events: stage.dataset }, { from: 'visitor', into: 'u' });
      await stage.store.events.upsert(stage.dataset, [
        event('e1', { recommendation_id, event_type: 'buy', event_value: 3 }),
        event('e2', { recommendation_id: forNobody }),
      ]);
      const one = { variant: 'new', users: 1, clicked_users: 1, target_users: 1, value_users: 1 };
      assert.deepEqual(await stage.store.outcomes.usersOf(projectId, 'exp_1'), [
        { ...one, value_sum: 3, value_squares: 9 },
      ]);
      await stage.store.events.delete(stage.dataset, ['e0', 'e1', 'e2']);
      assert.deepEqual(await stage.store.outcomes.usersOf(projectId, 'exp_1'), [
        { ...one, clicked_users: 0, target_users: 0, value_users: 0, value_sum: 0, value_squares: 0 },
      ]);
    });

    test('a deleted user takes along the rows of visitors who became that user, one after the other', async () => {
      await start();
      const { store, dataset, project } = stage;
      const recommendation_id = list({ user: 'phone', variant: 'new' });
      const order = (event_id: string, user_id: string) => event(event_id, { user_id, recommendation_id });
      await store.events.upsert(dataset, [
        order('e1', 'phone'),
        event('e2', { user_id: 'other', recommendation_id: list({ user: 'other', variant: 'new' }) }),
      ]);
      const users = (await store.datasets.get(project.account_id, 'user', project.user_dataset_id))!;
      for (const [from, into] of [
        ['phone', 'laptop'],
        ['laptop', 'u'],
      ]) {
        await store.mergeUsers({ users, events: dataset }, { from, into });
      }
      await store.events.upsert(dataset, [{ ...order('e3', 'u'), event_type: 'buy', event_value: 5 }]);
      await store.events.deleteOfUser(dataset, 'u');
      await store.outcomes.forgetUser(dataset, 'u');
      const rows =
        'SELECT user_hash FROM outcome_user WHERE series_no IN (SELECT series_no FROM outcome_series WHERE project_id = ?)';
      const left = await store.database.all(rows, [project.project_id]);
      assert.deepEqual(
        left.map(({ user_hash }) => user_hash),
        [userHash(project.account_id, 'other')],
      );
    });

    test('what others did with lists of an erased user leaves no row about that user, and counts nobody twice', async () => {
      await start();
      const { store, dataset, project } = stage;
      const order = event('order', {
        recommendation_id: list({ user: 'visitor', variant: 'new' }),
        event_type: 'buy',
        event_value: 50,
      });
      await store.events.upsert(dataset, [order]);
      const sums = await store.outcomes.usersOf(project.project_id, 'exp_1');
      await store.outcomes.forgetUser(dataset, 'visitor');
      await store.events.upsert(dataset, [order]);
      await store.events.upsert(dataset, [{ ...order, event_value: 70 }]);
      await store.events.deleteOfUser(dataset, 'u');
      assert.deepEqual(await store.outcomes.usersOf(project.project_id, 'exp_1'), sums);
      const row = 'SELECT clicks, targets FROM outcome_user WHERE user_hash = ?';
      const rowOf = (user: string) => store.database.all(row, [userHash(project.account_id, user)]);
      assert.deepEqual(await rowOf('visitor'), []);
      await store.events.upsert(dataset, [order]);
      assert.deepEqual((await rowOf('visitor')).map(Object.values), [[1, 1]], 'a new event is about the user again');
    });

    test('rows about users go 31 days after the end of their experiment, and its sums stay', async () => {
      await start();
      const { account_id: accountId, project_id: projectId } = stage.project;
      const experiment = async (ended: number | null | 'pruned', users: number) => {
        const experimentId = newId('experiment');
        const origin = { accountId, projectId, modelId: null, placement: experimentId, experimentId };
        if (ended !== 'pruned') {
          const sql = `INSERT INTO experiment (experiment_id, account_id, project_id, placement, name, variants, metric,
            min_days, status, created_ts, stopped_ts) VALUES (?, ?, ?, ?, 'test', ?, 'click', 7, ?, 1, ?)`;
          const variants = JSON.stringify([
            { name: 'today', share: 1, overrides: {} },
            { name: 'new', share: 1, overrides: {} },
          ]);
          const status = ended === null ? 'RUNNING' : 'STOPPED';
          const params = [experimentId, accountId, projectId, experimentId, variants, status, ended];
          await stage.store.database.atomic([{ sql, params }]);
        }
        const visitors = ['today', 'new'].flatMap((variant) =>
          Array.from({ length: users }, (_, n) => ({
            origin: { ...origin, variant },
            userHash: userHash(accountId, `${variant}-${n}`),
          })),
        );
        await stage.store.outcomes.addServed(stage.dataset, { batchId: experimentId, counts: [], visitors });
        return experimentId;
      };
      const rowsOf = async (experimentId: string) => {
        const [{ left }] = await stage.store.database.all<{ left: number }>(
          `SELECT count(*) AS left FROM outcome_user WHERE series_no IN (
             SELECT series_no FROM outcome_series WHERE experiment_id = ?)`,
          [experimentId],
        );
        return Number(left);
      };
      const ids = [
        await experiment(null, 2),
        await experiment(NOW - 30 * DAY_MS, 2),
        await experiment(NOW - 32 * DAY_MS, 6000),
        await experiment('pruned', 2),
      ];
      const rows = () => Promise.all(ids.map(rowsOf));
      const usersOf = (id: string) => stage.store.outcomes.usersOf(projectId, id);
      const sums = await Promise.all(ids.map(usersOf));
      assert.equal(sums[2][0].users, 6000);
      const watch = new ExperimentWatch({ store: stage.store, log: createLogger('silent') });
      await watch.look(NOW);
      assert.deepEqual(await rows(), [4, 4, 0, 0]);
      await watch.look(NOW + 3 * DAY_MS);
      assert.deepEqual(await rows(), [4, 0, 0, 0]);
      await watch.look(NOW + 3 * DAY_MS + HOUR_MS);
      assert.deepEqual(await rows(), [4, 0, 0, 0], 'those of one that runs stay');
      assert.deepEqual(await Promise.all(ids.map(usersOf)), sums);
    });

    test('nothing is left of a deleted project once the rows about its users are gone, some at a time', async () => {
      await start();
      const { dataset } = stage;
      const { account_id: accountId, project_id: projectId } = stage.project;
      await stage.store.events.upsert(dataset, [
        event('e1', { recommendation_id: list({ user: 'u', variant: 'new' }) }),
        event('e2', { recommendation_id: list() }),
      ]);
      const origin = { accountId, projectId, modelId: null, placement: 'home', experimentId: 'exp_1', variant: 'new' };
      const visitors = Array.from({ length: 6000 }, (_, n) => ({ origin, userHash: userHash(accountId, `u${n}`) }));
      await stage.store.outcomes.addServed(dataset, { batchId: projectId, counts: [], visitors });
      const left = async () => {
        const series = 'SELECT series_no FROM outcome_series';
        const [row] = await stage.store.database.all(
          `SELECT (SELECT count(*) FROM outcome_series WHERE project_id = ?) AS series,
             (SELECT count(*) FROM outcome_hour WHERE series_no NOT IN (${series} WHERE project_id <> ?))
               + (SELECT count(*) FROM outcome_day WHERE series_no NOT IN (${series} WHERE project_id <> ?)) AS counters,
             (SELECT count(*) FROM outcome_user WHERE series_no NOT IN (${series} WHERE project_id <> ?)) AS users`,
          [projectId, projectId, projectId, projectId],
        );
        return [row.series, row.counters, row.users].map(Number);
      };
      await stage.store.projects.delete(accountId, projectId);
      assert.deepEqual(await left(), [1, 0, 6001]);
      await stage.store.outcomes.forgetUser(dataset, 'u7');
      assert.deepEqual(await left(), [1, 0, 6000], 'a deleted user is forgotten at once');
      await new ExperimentWatch({ store: stage.store, log: createLogger('silent') }).look(NOW);
      assert.deepEqual(await left(), [0, 0, 0]);
    });

    test('a deleted user is forgotten in the projects of the dataset alone, without a look at all series', async () => {
      await start();
      const { store } = stage;
      const [{ project }, first] = [stage, stage.dataset];
      const { account_id: accountId } = project;
      const second = await makeProject(store, accountId);
      const visit = async (dataset: Dataset, projectId: string, series: number) => {
        const origin = { accountId, projectId, modelId: null, placement: 'home', variant: 'new' };
        const visitors = Array.from({ length: series }, (_, n) => ({
          origin: { ...origin, experimentId: `exp_${n}` },
          userHash: userHash(accountId, n === 0 ? 'u' : `u${n}`),
        }));
        await store.outcomes.addServed(dataset, { batchId: projectId, counts: [], visitors });
      };
      const other = (await store.datasets.get(accountId, 'event', second.event_dataset_id))!;
      await visit(first, project.project_id, 2000);
      await visit(other, second.project_id, 1);

      const explain = dialect === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN';
      await store.database.atomic([{ sql: 'ANALYZE' }]);
      const u = userHash(accountId, 'u');
      for (const [sql, ...params] of [
        [FORGET_VISITOR_SQL, u, u, first.dataset_id],
        [MERGE_VISITOR_SQL, 1, u, u, first.dataset_id],
      ] as const) {
        const plan = JSON.stringify(await store.database.all(`${explain} ${sql}`, params));
        assert.doesNotMatch(plan, /SCAN (s|outcome)|Seq Scan on outcome/);
      }

      await store.outcomes.forgetUser(first, 'u');
      const left = await store.database.all<{ project_id: string; users: number }>(
        `SELECT s.project_id, count(u.user_hash) AS users FROM outcome_series s
         LEFT JOIN outcome_user u ON u.series_no = s.series_no WHERE s.project_id IN (?, ?) GROUP BY s.project_id`,
        [project.project_id, second.project_id],
      );
      assert.deepEqual(Object.fromEntries(left.map(({ project_id, users }) => [project_id, Number(users)])), {
        [project.project_id]: 1999,
        [second.project_id]: 1,
      });
    });
  });
}
