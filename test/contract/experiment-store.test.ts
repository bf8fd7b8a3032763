// Experiments, their figures and how they end: the same expectations on every database.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ExperimentWatch } from '../../src/automation/experiment-watch.ts';
import { type Experiment, MAX_EXPERIMENTS } from '../../src/domain/experiment.ts';
import type { PlacementVersion } from '../../src/domain/placement.ts';
import { createLogger } from '../../src/observability/logger.ts';
import type { Store } from '../../src/store/store.ts';
import { newId } from '../support/new-ids.ts';
import { makeAccount, makeProject } from '../support/store-fixtures.ts';
import { DIALECTS, openTestStore } from '../support/test-database.ts';

const PAGE = { page_size: 1000, page_token: null };
const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 10, 1);
const VERSION: PlacementVersion = {
  version: 1,
  change: 'created',
  changed_ts: 5,
  changed_by: { key_id: 'key_1', key_name: 'shop' },
  definition: { kind: 'for_you', defaults: {}, rules: [], fallback: [], fatigue: null },
};

for (const dialect of DIALECTS) {
  describe(`experiments on ${dialect}`, () => {
    let store: Store;
    let close: () => Promise<void>;
    let account_id: string;
    let project_id: string;

    before(async () => {
      ({ store, close } = await openTestStore(dialect));
      ({ account_id, project_id } = await makeProject(store, await makeAccount(store)));
    });
    after(() => close());

    const placed = async (name: string) => {
      await store.placements.create({ account_id, project_id, name, created_ts: 1, current: VERSION });
      return { accountId: account_id, projectId: project_id, name };
    };
    const experimentOf = (placement: string, change: Partial<Experiment> = {}): Experiment => ({
      account_id,
      project_id,
      experiment_id: newId('experiment'),
      name: 'test',
      placement,
      metric: 'click',
      variants: [
        { name: 'today', share: 1, overrides: {} },
        { name: 'new', share: 1, overrides: { limit: 5 } },
      ],
      min_days: 7,
      status: 'RUNNING',
      created_ts: START,
      stopped_ts: null,
      promoted: null,
      decided: null,
      ...change,
    });
    /** What the write path would have counted. */
    const count = (experiment: Experiment, variant: string, users: number, clicked: number) =>
      store.database.atomic([
        {
          sql: `INSERT INTO outcome_series (project_id, placement, experiment_id, variant, users, clicked_users)
                VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (project_id, placement, experiment_id, variant)
                DO UPDATE SET users = excluded.users, clicked_users = excluded.clicked_users`,
          params: [project_id, experiment.placement, experiment.experiment_id, variant, users, clicked],
        },
      ]);

    it('runs one experiment per placement, raises the epoch, and keeps others out', async () => {
      const home = await placed('home');
      const experiment = experimentOf('home');
      assert.equal(await store.experiments.create(experiment), await store.deployments.epoch());
      assert.deepEqual(await store.experiments.running(home), experiment);
      assert.equal(await store.experiments.create(experimentOf('home')), 'running');
      assert.equal(await store.experiments.create(experimentOf('nowhere')), 'missing-placement');
      assert.equal(await store.experiments.get('acc_other', project_id, experiment.experiment_id), null);
      assert.equal(await store.experiments.running({ ...home, accountId: 'acc_other' }), null);
      await placed('cart');
      await store.experiments.create(experimentOf('cart', { created_ts: START + 1 }));
      const listed = await store.experiments.list(account_id, project_id, undefined, PAGE);
      assert.deepEqual(
        listed.entries.map(({ placement }) => placement),
        ['cart', 'home'],
      );
      await store.experiments.keepPoint(experiment.experiment_id, { hour: 1, users: [] });
      const points = listed.entries.map(async (one) => (await store.experiments.points(one.experiment_id)).length);
      assert.deepEqual(await Promise.all(points), [0, 1], 'figures are those of one experiment');
      const running: string[] = [];
      for (let after = ''; ; after = running.at(-1)!) {
        const [next] = await store.experiments.allRunning(after, 1);
        if (next === undefined) break;
        assert.ok(!running.includes(next.experiment_id), 'each once');
        running.push(next.experiment_id);
      }
      assert.deepEqual(running, listed.entries.map((one) => one.experiment_id).sort());
      const ofHome = await store.experiments.list(account_id, project_id, 'home', PAGE);
      assert.deepEqual(ofHome.entries, [experiment]);
    });

    it('stops, and promotes in one step with the version of the placement it was made from', async () => {
      const name = await placed('stopped');
      const experiment = experimentOf('stopped');
      await store.experiments.create(experiment);
      const next = {
        ...VERSION,
        version: 2,
        changed_ts: 9,
        definition: { ...VERSION.definition, defaults: { limit: 5 } },
      };
      const late = { ...next, version: 7 };
      assert.equal(
        await store.experiments.stop(experiment, { nowMs: 10, promote: { variant: 'new', version: late } }),
        null,
      );
      assert.equal((await store.experiments.running(name))?.status, 'RUNNING', 'nothing was changed');
      const end = { nowMs: 10, promote: { variant: 'new', version: next } };
      const responses = await Promise.all([
        store.experiments.stop(experiment, end),
        store.experiments.stop(experiment, end),
      ]);
      assert.equal(responses.filter((epoch) => epoch !== null).length, 1, 'one of two makes the version');
      assert.equal(await store.experiments.running(name), null);
      const stopped = await store.experiments.get(account_id, project_id, experiment.experiment_id);
      assert.deepEqual([stopped?.status, stopped?.stopped_ts, stopped?.promoted], ['STOPPED', 10, 'new']);
      assert.deepEqual((await store.placements.get(name))?.current, next);
      assert.equal((await store.placements.version(name, 2))?.version, 2);
      assert.ok(await store.experiments.stop(experiment, { nowMs: 99, promote: null }));
      const again = await store.experiments.get(account_id, project_id, experiment.experiment_id);
      assert.deepEqual([again?.stopped_ts, again?.promoted], [10, 'new']);
      assert.equal(typeof (await store.experiments.create(experimentOf('stopped'))), 'number', 'the next may begin');
    });

    it('promotes one variant once, whoever looked at the placement when', async () => {
      const name = await placed('promoted');
      const experiment = experimentOf('promoted');
      await store.experiments.create(experiment);
      const promote = (variant: string, version: number, limit: number) => {
        const definition = { ...VERSION.definition, defaults: { limit } };
        const next = { ...VERSION, version, changed_ts: 9, definition };
        return store.experiments.stop(experiment, { nowMs: 10, promote: { variant, version: next } });
      };
      const promoted = async () => {
        const { promoted } = (await store.experiments.get(account_id, project_id, experiment.experiment_id))!;
        const { version, definition } = (await store.placements.get(name))!.current;
        return [promoted, version, definition.defaults.limit];
      };
      assert.ok(await promote('new', 2, 5));
      assert.equal(await promote('new', 3, 5), null, 'the same, by one who has seen the version that it made');
      assert.equal(await promote('today', 3, 7), null, 'another one');
      assert.equal(await promote('today', 2, 7), null, 'another one, at the same moment');
      assert.deepEqual(await promoted(), ['new', 2, 5]);
      await store.experiments.create(experimentOf('promoted', { experiment_id: 'exp_next' }));
      const next = (await store.experiments.get(account_id, project_id, 'exp_next'))!;
      const late = { ...VERSION, version: 2, changed_ts: 9 };
      assert.equal(
        await store.experiments.stop(next, { nowMs: 10, promote: { variant: 'today', version: late } }),
        null,
      );
      const { status, promoted: none } = (await store.experiments.get(account_id, project_id, 'exp_next'))!;
      assert.deepEqual([status, none], ['RUNNING', null], 'the version of another experiment at the same moment');
      await store.experiments.stop(next, { nowMs: 11, promote: null });
    });

    it('keeps its placement from being deleted while it runs', async () => {
      const name = await placed('kept');
      const experiment = experimentOf('kept');
      await store.experiments.create(experiment);
      const refused = await store.placements.delete(name);
      assert.deepEqual(refused, { runningExperimentId: experiment.experiment_id });
      assert.ok((await store.placements.get(name)) && (await store.placements.version(name, 1)));
      assert.equal((await store.experiments.running(name))?.status, 'RUNNING');
      await store.experiments.stop(experiment, { nowMs: 10, promote: null });
      const deleted = await store.placements.delete(name);
      assert.ok(deleted && 'placement' in deleted);
      assert.deepEqual([await store.placements.get(name), await store.placements.version(name, 1)], [null, null]);
    });

    it('forgets the oldest that have ended, when there are many', async () => {
      const { project_id: of } = await makeProject(store, account_id);
      await store.placements.create({ account_id, project_id: of, name: 'home', created_ts: 1, current: VERSION });
      const ids = Array.from({ length: MAX_EXPERIMENTS + 1 }, (_, n) => `exp_${of}_${n}`);
      await store.database.atomic(
        ids.map((id, n) => ({
          sql: `INSERT INTO experiment (experiment_id, account_id, project_id, placement, name, variants, metric, min_days,
                  status, created_ts, stopped_ts) VALUES (?, ?, ?, 'home', 'test', '[]', 'click', 7, 'STOPPED', ?, ?)`,
          params: [id, account_id, of, n, n],
        })),
      );
      const sql = `INSERT INTO experiment_point (experiment_id, hour, figures) VALUES (?, 1, '[]')`;
      await store.database.atomic(ids.map((id) => ({ sql, params: [id] })));
      const experiment = experimentOf('home', { project_id: of });
      assert.equal(typeof (await store.experiments.create(experiment)), 'number');
      const { entries } = await store.experiments.list(account_id, of, undefined, PAGE);
      assert.deepEqual(
        entries.map(({ experiment_id }) => experiment_id),
        [experiment.experiment_id, ...ids.slice(2).reverse()],
      );
      const points = ids.slice(0, 4).map(async (id) => (await store.experiments.points(id)).length);
      assert.deepEqual(await Promise.all(points), [0, 0, 1, 1], 'with their figures');
    });

    it('keeps figures over time and announces the first clear result once', async () => {
      await placed('watched');
      const experiment = experimentOf('watched');
      await store.experiments.create(experiment);
      const webhook_id = newId('webhook');
      await store.webhooks.create(
        {
          account_id,
          webhook_id,
          url: 'https://example.com',
          events: ['experiment.decided'],
          created_ts: 1,
          last_attempt: null,
        },
        100,
      );
      const watches = [1, 2].map(() => new ExperimentWatch({ store, log: createLogger('silent') }));
      const look = (nowMs: number) => Promise.all(watches.map((watch) => watch.look(nowMs)));
      const decided = async () =>
        (await store.experiments.get(account_id, project_id, experiment.experiment_id))?.decided;
      await count(experiment, 'today', 10_000, 1000);
      await count(experiment, 'new', 10_000, 1300);
      await look(START + DAY_MS);
      assert.equal(await decided(), null, 'not before min_days');
      await count(experiment, 'today', 20_000, 2000);
      await count(experiment, 'new', 20_000, 2600);
      await look(START + 8 * DAY_MS);
      const first = await decided();
      assert.equal(first?.winner, 'new');
      await look(START + 8 * DAY_MS + 10);
      await look(START + 20 * DAY_MS);
      assert.deepEqual(await decided(), first);
      const points = await store.experiments.points(experiment.experiment_id);
      assert.deepEqual(
        points.map(({ hour }) => hour * 3_600_000 - START),
        [DAY_MS, 8 * DAY_MS, 20 * DAY_MS],
      );
      assert.equal(points[2].users.find(({ variant }) => variant === 'new')?.clicked_users, 2600);
      const nowMs = START + 30 * DAY_MS;
      const delivery = await store.webhooks.claim(webhook_id, nowMs, nowMs + 1000);
      const { experiment_id } = experiment;
      assert.deepEqual(
        [delivery?.event, delivery?.data.experiment_id, delivery?.data.winner],
        ['experiment.decided', experiment_id, 'new'],
      );
      await store.webhooks.ended(delivery!, { succeeded: true, message: '200', nowMs, nextMs: null });
      assert.equal(await store.webhooks.claim(webhook_id, nowMs, nowMs + 1000), null);
    });
  });
}
