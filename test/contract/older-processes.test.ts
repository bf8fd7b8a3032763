// What guards in PostgreSQL keep processes of an older version from doing. Nodes of every release next to new ones are in
// test/long/rolling-upgrade.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import type { Experiment } from '../../src/domain/experiment.ts';
import { guardOlderProcesses, hasGuards, removeGuards } from '../../src/store/postgres/older-processes.ts';
import { openPostgres } from '../../src/store/postgres/open-postgres.ts';
import { newId } from '../support/new-ids.ts';
import { freshPostgres } from '../support/postgres.ts';
import { makeAccount, makeProject } from '../support/store-fixtures.ts';
import { DIALECTS } from '../support/test-database.ts';

test('older processes decide no experiments', { skip: !DIALECTS.includes('postgres') }, async (t) => {
  const { url, drop } = await freshPostgres();
  const store = await openPostgres(url);
  const older = new pg.Client({ connectionString: url, application_name: 'kindred/1' });
  await older.connect();
  t.after(async () => {
    await older.end();
    await store.close();
    await drop();
  });
  const { account_id, project_id } = await makeProject(store, await makeAccount(store));
  const definition = { kind: 'for_you' as const, defaults: {}, rules: [], fallback: [], fatigue: null };
  const current = {
    version: 1,
    change: 'created' as const,
    changed_ts: 5,
    changed_by: { key_id: 'key_1', key_name: 'shop' },
    definition,
  };
  await store.placements.create({ account_id, project_id, name: 'home', created_ts: 1, current });
  const experiment: Experiment = {
    account_id,
    project_id,
    experiment_id: newId('experiment'),
    name: 'test',
    placement: 'home',
    metric: 'value',
    variants: ['today', 'new'].map((name) => ({ name, share: 1, overrides: {} })),
    min_days: 7,
    status: 'RUNNING',
    created_ts: 1,
    stopped_ts: null,
    promoted: null,
    decided: null,
  };
  await store.experiments.create(experiment);

  await older.query('BEGIN');
  await guardOlderProcesses(older);
  await older.query('COMMIT');
  const decide = `UPDATE experiment SET decided = '{}' WHERE experiment_id = $1 AND decided IS NULL`;
  assert.equal((await older.query(decide, [experiment.experiment_id])).rowCount, 0);
  const decision = { decided_ts: 2, winner: 'new', sentence: 'New wins.' };
  assert.equal(await store.experiments.decide(experiment, decision), true);
  const found = await store.experiments.get(account_id, project_id, experiment.experiment_id);
  assert.deepEqual(found?.decided, decision);

  await older.query('BEGIN');
  assert.equal(await removeGuards(older), true);
  await older.query('COMMIT');
  assert.equal(await hasGuards(older), false);
  const { rows } = await older.query(`SELECT tgname FROM pg_trigger WHERE tgname LIKE 'older%'`);
  assert.deepEqual(rows, []);
});
