import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../../test/support/new-ids.ts';
import type { AuditEntry } from '../../domain/audit-entry.ts';
import type { Logger } from '../../observability/logger.ts';
import type { AuditStore } from '../../store/audit-store.ts';
import { currentAccount, onBehalfOf } from '../../store/on-behalf-of.ts';
import type { Caller } from '../route.ts';
import { AuditTrail } from './audit-trail.ts';

test('a call that changed nothing is not in the log', async () => {
  const entries: AuditEntry[] = [];
  const store = { append: async (more: AuditEntry[]) => void entries.push(...more) } as unknown as AuditStore;
  const trail = new AuditTrail(store, {} as Logger);
  const caller = { accountId: newId('account'), keyId: newId('key') } as Caller;
  const call = { caller, operation: '/rollback-deployment', requestId: 'r', params: {} };
  const [project_id, job_id] = [newId('project'), newId('job')];
  await trail.record('each', { ...call, body: { project_id }, response: { job_id: null } });
  await trail.record('each', { ...call, body: { project_id, dry_run: true }, response: { job_id } });
  await trail.record('each', { ...call, body: { project_id }, response: { job_id } });
  assert.deepEqual(
    entries.map(({ object_id }) => object_id),
    [job_id],
  );
});

test('counts that the store does not take are kept for later and not sent again at once', async () => {
  const appends: (string | null)[] = [];
  const written: AuditEntry[] = [];
  const append = async (entries: AuditEntry[]): Promise<void> => {
    if (appends.push(currentAccount()) === 1) throw new Error('the database is away');
    written.push(...entries);
  };
  const store = { append, keepNewest: async () => {} } as unknown as AuditStore;
  const warnings: string[] = [];
  const log = { warn: (_: unknown, message: string) => warnings.push(message) } as unknown as Logger;
  const trail = new AuditTrail(store, log);
  const call = { operation: '/upsert-items', requestId: 'r', params: {}, body: {}, response: {} };
  const accountId = newId('account');
  await onBehalfOf(accountId, async () => {
    for (let n = 0; n < 2000; n++) {
      await trail.record('counted', { ...call, caller: { accountId, keyId: `key_${n}` } as Caller });
    }
  });
  await new Promise(setImmediate);
  assert.equal(warnings.length, 1);
  assert.deepEqual(appends, [null], 'counts of all accounts do not wait in the queue of one');
  await trail.flush();
  assert.equal(written.length, 2000);
});
