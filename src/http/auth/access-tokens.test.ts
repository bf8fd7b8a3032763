import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AccessTokens, TOKEN_LIFE_SEC } from './access-tokens.ts';

const claims = { accountId: 'acc_1', keyId: 'key_1', keyHash: 'hash', scope: '*', secretVersion: 1 };
const MARGIN_MS = 10_000;

test('a token ends after its hour, and clocks that differ by seconds do not matter', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 1_800_000_000_000 });
  const tokens = new AccessTokens(Buffer.alloc(32, 1));
  const { token } = await tokens.sign(claims);
  assert.equal((await tokens.verify(token)).accountId, 'acc_1');
  t.mock.timers.setTime(1_800_000_000_000 - 60_000);
  assert.equal((await tokens.verify(token)).accountId, 'acc_1', 'on a node whose clock is behind');
  t.mock.timers.setTime(1_800_000_000_000 + TOKEN_LIFE_SEC * 1000 + MARGIN_MS);
  await assert.rejects(tokens.verify(token), { code: 'TOKEN_EXPIRED' });
});

test('a token ends with its key, or with the grace time of the secret it was given out for', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 1_800_000_000_000 });
  const tokens = new AccessTokens(Buffer.alloc(32, 1));
  const { token, lifeSec } = await tokens.sign(claims, Date.now() + 30_000);
  assert.equal(lifeSec, 30);
  assert.equal((await tokens.verify(token)).expiresAtMs, Date.now() + 30_000);
  t.mock.timers.setTime(1_800_000_000_000 + 30_000 + MARGIN_MS);
  await assert.rejects(tokens.verify(token), { code: 'TOKEN_EXPIRED' });
});

test('a token that others signed, that was changed or that is not signed at all is refused', async () => {
  const tokens = new AccessTokens(Buffer.alloc(32, 1));
  const { token } = await tokens.sign(claims);
  const [head, body, signature] = token.split('.');
  const of = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const richer = of({ ...JSON.parse(Buffer.from(body, 'base64url').toString()), sub: 'acc_2' });
  for (const forged of [
    (await new AccessTokens(Buffer.alloc(32, 2)).sign(claims)).token,
    `${head}.${richer}.${signature}`,
    `${of({ alg: 'none', typ: 'at+jwt' })}.${body}.`,
    `${head}.${body}.`,
    'no token',
  ]) {
    await assert.rejects(tokens.verify(forged), { code: 'UNAUTHENTICATED' });
  }
});
