import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FastifyRequest } from 'fastify';
import { hashSecret } from '../../domain/credentials.ts';
import { createLogger } from '../../observability/logger.ts';
import type { AccountStore, Revocations } from '../../store/registry-store.ts';
import { AccessTokens } from './access-tokens.ts';
import { Authenticator } from './authenticator.ts';

type Disabled = Pick<Revocations, 'keyIds' | 'accountIds'>;

test('a disabled key stays disabled when an older read of the store returns late', async () => {
  const looks: ((disabled: Disabled) => void)[] = [];
  const accounts: Pick<AccountStore, 'revocations'> = {
    revocations: () => new Promise((resolve) => looks.push((disabled) => resolve({ ...disabled, rotated: [] }))),
  };
  const tokens = new AccessTokens(new Uint8Array(32));
  const authenticator = new Authenticator(accounts as AccountStore, tokens, createLogger('silent'));
  const { token } = await tokens.sign({
    accountId: 'acc_1',
    keyId: 'key_1',
    keyHash: hashSecret('kk_1'),
    scope: '*',
    secretVersion: 1,
  });
  const request = { headers: { authorization: `Bearer ${token}`, apikey: 'kk_1' } } as unknown as FastifyRequest;
  const call = async () => authenticator.authenticate(request, '/get-account');
  assert.equal((await call()).keyId, 'key_1');

  const older = authenticator.refresh();
  const newer = authenticator.refresh();
  looks[1]({ keyIds: ['key_1'], accountIds: [] });
  await newer;
  await assert.rejects(call, { code: 'UNAUTHENTICATED' });
  looks[0]({ keyIds: [], accountIds: [] });
  await older;
  await assert.rejects(call, { code: 'UNAUTHENTICATED' });

  const enabled = authenticator.refresh();
  looks[2]({ keyIds: [], accountIds: [] });
  await enabled;
  assert.equal((await call()).keyId, 'key_1');
});
