// Journals that others left in the folder, with a real store.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { makeAccount, makeProject } from '../../test/support/store-fixtures.ts';
import { openTestStore } from '../../test/support/test-database.ts';
import { HOUR_MS } from '../base/durations.ts';
import { systemRuntime } from '../base/runtime.ts';
import { fileAgeMs } from '../base/system.ts';
import { RecommendationIds } from './recommendation-id.ts';
import { ServedJournal } from './served-journal.ts';
import { ServedLists } from './served-lists.ts';

const HOUR = 500_000;

async function stage(t: TestContext) {
  const { store, close } = await openTestStore('sqlite');
  t.after(close);
  const folder = mkdtempSync(join(tmpdir(), 'served-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const { account_id: accountId, project_id: projectId } = await makeProject(store, await makeAccount(store));
  const origin = { accountId, projectId, modelId: null, placement: null, variant: null };
  let clockMs = 0;
  const warnings: string[] = [];
  const node = () =>
    new ServedLists({
      ids: new RecommendationIds('a secret'),
      store,
      folder,
      runtime: { ...systemRuntime, monotonicMs: () => clockMs },
      warn: (_, message) => warnings.push(message),
    });
  const served = async () => {
    const rows = await store.outcomes.counts({ projectId, fromHour: 0, toHour: 10_000_000 });
    return rows.reduce((sum, row) => sum + row.served, 0);
  };
  const old = new Date(Date.now() - 2 * HOUR_MS);
  return {
    folder,
    origin,
    node,
    served,
    warnings,
    age: (name: string) => utimesSync(join(folder, name), old, old),
    pass: (ms: number) => {
      clockMs += ms;
    },
  };
}

test('a journal of a host name that is gone is told while the service runs, once, by any number of nodes', async (t) => {
  const { folder, origin, node, served, warnings, age, pass } = await stage(t);
  const name = 'gone-host.7.left';
  const left = new ServedJournal(join(folder, name));
  left.count(origin, HOUR, 3);
  left.write();
  left.close();
  const nodes = [node(), node()];
  const flush = () => Promise.all(nodes.map((one) => one.flush()));
  await flush();
  pass(HOUR_MS);
  await flush();
  assert.deepEqual([await served(), existsSync(left.path)], [0, true], 'its node may still write to it');
  age(name);
  pass(HOUR_MS);
  await flush();
  assert.deepEqual([await served(), existsSync(left.path)], [1, false]);
  pass(HOUR_MS);
  await flush();
  for (const one of nodes) await one.stop();
  assert.deepEqual([await served(), readdirSync(folder), warnings], [1, [], []]);
});

test('the journal of a node that nobody calls does not look abandoned', async (t) => {
  const { folder, node, age, pass } = await stage(t);
  const idle = node();
  await idle.flush();
  const [name] = readdirSync(folder);
  age(name);
  pass(HOUR_MS / 2);
  await idle.flush();
  assert.ok(fileAgeMs(statSync(join(folder, name))) < HOUR_MS);
  await idle.stop();
});
