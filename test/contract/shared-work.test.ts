// Work that accounts share and a call of one of them starts: it does not wait in that account's queue for the database, which may be
// full. On PostgreSQL, whose connections they share.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { AuditTrail } from '../../src/http/audit/audit-trail.ts';
import type { Caller } from '../../src/http/route.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { RecommendationIds } from '../../src/outcomes/recommendation-id.ts';
import { ServedLists } from '../../src/outcomes/served-lists.ts';
import { LiveDeployments } from '../../src/serving/live-deployments.ts';
import type { ModelCache } from '../../src/serving/model-cache.ts';
import { onBehalfOf } from '../../src/store/on-behalf-of.ts';
import type { Store } from '../../src/store/store.ts';
import { eventually } from '../support/eventually.ts';
import { newId } from '../support/new-ids.ts';
import { makeAccount, makeProject } from '../support/store-fixtures.ts';
import { openTestStore } from '../support/test-database.ts';

/** More than run and wait at once. */
const READS = 2500;
const HOUR = 500_000;

let store: Store;
let close: () => Promise<void>;
let flooding: string;
const folder = mkdtempSync(join(tmpdir(), 'kindred-'));

before(async () => {
  ({ store, close } = await openTestStore('postgres'));
  flooding = await makeAccount(store);
});
after(async () => {
  await close();
  rmSync(folder, { recursive: true });
});

/** Runs the work for the account while its queue is full. */
async function whileFull(work: () => Promise<void>): Promise<void> {
  let reads: Promise<unknown> | undefined;
  await onBehalfOf(flooding, () => {
    reads = Promise.allSettled(Array.from({ length: READS }, () => store.accounts.get(flooding)));
    return work();
  }).finally(() => reads);
}

test('a node follows deployments', async () => {
  const cache = { forgetDeleted: async () => {}, memoryBytes: () => 0, budgetBytes: 1 } as unknown as ModelCache;
  const node = new LiveDeployments({ nodeId: 'node_1', store, cache, log: createLogger('silent') });
  await node.start();
  await whileFull(() => node.follow());
  await node.stop();
});

test('the store is told which lists were served', async () => {
  const { account_id: accountId, project_id: projectId } = await makeProject(store, await makeAccount(store));
  const ids = new RecommendationIds('a secret');
  const lists = new ServedLists({ ids, store, folder, warn: () => {} });
  const origin = { accountId, projectId, modelId: null, placement: null, variant: null };
  lists.count(origin, { items: 3, userId: null }, HOUR);
  await whileFull(() => lists.flush());
  const [row] = await store.outcomes.counts({ projectId, fromHour: HOUR, toHour: HOUR + 1 });
  assert.equal(row.served, 1);
  await lists.stop();
});

test('counted calls of all accounts are written to the audit log when they are many', async () => {
  const trail = new AuditTrail(store.audit, createLogger('silent'));
  const accountId = newId('account');
  const call = { operation: '/upsert-items', requestId: 'r', params: {}, body: {}, response: {} };
  await whileFull(async () => {
    for (let n = 0; n < 2000; n++) {
      await trail.record('counted', { ...call, caller: { accountId, keyId: `key_${n}` } as Caller });
    }
  });
  const page = { page_size: 1, page_token: null };
  await eventually(async () => (await store.audit.list(accountId, {}, page)).entries.length === 1);
});
