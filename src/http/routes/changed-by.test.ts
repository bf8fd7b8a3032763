import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiKey } from '../../domain/account.ts';
import { changedBy } from './changed-by.ts';

const accounts = { listKeys: async () => [{ key_id: 'key_1', name: 'shop' } as ApiKey] };

test('a change says whether a key or a person made it', async () => {
  const caller = { accountId: 'acc_1', keyId: 'key_1', scopes: [] };
  assert.deepEqual(await changedBy(accounts, caller), { key_id: 'key_1', key_name: 'shop' });
  const unnamed = await changedBy(accounts, { ...caller, keyId: 'key_2' });
  assert.deepEqual(unnamed, { key_id: 'key_2', key_name: null });
  const person = { id: 'per_1', name: 'Ann', role: 'editor' } as const;
  const byPerson = await changedBy(accounts, { ...caller, keyId: 'per_1', person });
  assert.deepEqual(byPerson, { key_id: 'per_1', key_name: 'Ann', person_id: 'per_1' });
});
