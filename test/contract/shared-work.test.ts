// Work that accounts share and a call of one of them starts: it does not wait in that account's queue for the database, which may be
// full. On PostgreSQL, whose connections they share.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { Lifecycle } from '../../src/http/lifecycle.ts';
import { healthRoutes } from '../../src/http/routes/health.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { createMetrics } from '../../src/observability/metrics.ts';
import { RecommendationIds } from '../../src/outcomes/recommendation-id.ts';
import { ServedLists } from '../../src/outcomes/served-lists.ts';
import { LiveDeployments } from '../../src/serving/live-deployments.ts';
import type { ModelCache } from '../../src/serving/model-cache.ts';
import { onBehalfOf } from '../../src/store/on-behalf-of.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { makeAccount, makeProject } from '../support/store-fixtures.ts';
import { newTestPlace, type TestPlace } from '../support/test-database.ts';

/** All that an account may have: src/store/postgres/postgres-database.ts. */
const PLACES = 8;
const HOUR = 500_000;

let store: Store;
let flooding: string;
let locker: pg.Client;
let place: TestPlace;

before(async () => {
  place = await newTestPlace('postgres');
  store = await openStore(place);
  flooding = await makeAccount(store);
  locker = new pg.Client({ connectionString: place.databaseUrl! });
  await locker.connect();
});
after(async () => {
  await locker.end();
  await store.close();
  await place.remove();
});

/** A call of the account while all its statements wait for a lock. */
async function callWhileHeld(work: () => Promise<void>): Promise<void> {
  await locker.query('BEGIN');
  await locker.query('SELECT 1 FROM account WHERE account_id = $1 FOR UPDATE', [flooding]);
  await onBehalfOf(flooding, async () => {
    let isHeld = true;
    const held = Array.from({ length: PLACES }, (_, n) =>
      store.accounts.update(flooding, { name: `name ${n}` }).finally(() => {
        isHeld = false;
      }),
    );
    const settled = Promise.allSettled(held);
    await work();
    assert.ok(isHeld);
    await locker.query('ROLLBACK');
    await settled;
  });
}

test('a node follows deployments', async () => {
  const cache = { forgetDeleted: async () => {}, memoryBytes: () => 0, budgetBytes: 1 } as unknown as ModelCache;
  const node = new LiveDeployments({ nodeId: 'node_1', store, cache, log: createLogger('silent') });
  await node.start();
  await callWhileHeld(() => node.follow());
  await node.stop();
});

test('a node says that it is ready, and its metrics', async () => {
  const lifecycle = new Lifecycle();
  lifecycle.ready();
  const metrics = createMetrics();
  metrics.gauge('accounts', 'Accounts.', async () => (await store.nodes.list()).length);
  const parts = { lifecycle, metrics, hasLoaded: () => true, unreadableDeployments: () => 0 };
  const routes = healthRoutes({ ...parts, ping: () => store.ping() });
  for (const path of ['/readyz', '/metrics']) {
    const { handler } = routes.find((route) => route.path === path)!;
    const request = { query: {}, reply: { type() {} } } as unknown as Parameters<typeof handler>[0];
    await callWhileHeld(async () => void (await handler(request)));
  }
});

test('the store is told which lists were served', async () => {
  const { account_id: accountId, project_id: projectId } = await makeProject(store, await makeAccount(store));
  const ids = new RecommendationIds('a secret');
  const lists = new ServedLists({ ids, store, folder: join(place.dataDir, 'served'), warn: () => {} });
  const origin = { accountId, projectId, modelId: null, placement: null, variant: null };
  lists.count(origin, { items: 3, userId: null }, HOUR);
  await callWhileHeld(() => lists.flush());
  const [row] = await store.outcomes.counts({ projectId, fromHour: HOUR, toHour: HOUR + 1 });
  assert.equal(row.served, 1);
  await lists.stop();
});
