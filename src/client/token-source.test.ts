import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { startScriptedServer } from '../../test/support/scripted-server.ts';
import { type AccessToken, Kindred, type KindredOptions } from './index.ts';

const servers: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function clientOf(options: Partial<KindredOptions>): Promise<Kindred> {
  const server = await startScriptedServer(() => ({ body: {} }));
  servers.push(server);
  return new Kindred({ baseUrl: server.baseUrl, apiKey: 'key', ...options });
}

test('time limit and signal of a call also end its wait for a token, which other calls go on sharing', async () => {
  let giveToken = (_: AccessToken): void => {};
  let tokens = 0;
  const getAccessToken = () =>
    new Promise<AccessToken>((resolve) => {
      tokens += 1;
      giveToken = resolve;
    });
  const kindred = await clientOf({ getAccessToken, retry: { maxRetries: 0 } });
  const patient = kindred.getAccount();
  await assert.rejects(kindred.getAccount({}, { timeoutMs: 50 }), { code: 'TIMEOUT', operation: '/oauth2/token' });
  const controller = new AbortController();
  const aborted = kindred.getAccount({}, { signal: controller.signal });
  setTimeout(() => controller.abort(new Error('enough')), 20);
  await assert.rejects(aborted, { message: 'enough' });
  giveToken({ token: 't', expiresAtMs: Date.now() + 3_600_000 });
  assert.deepEqual(await patient, {});
  assert.equal(tokens, 1);
});

test('an error of getAccessToken is thrown as it is', async () => {
  const getAccessToken = () => Promise.reject(new RangeError('no session'));
  const kindred = await clientOf({ getAccessToken });
  await assert.rejects(kindred.getAccount(), { name: 'RangeError', message: 'no session' });
});
