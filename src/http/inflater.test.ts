import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type CompressedBody, Inflater, inflate } from './inflater.ts';

const BODY = Buffer.from('x'.repeat(1000));

test('accounts take turns, and a body that cannot be read does not keep the others waiting', async () => {
  const inflater = new Inflater();
  const order: string[] = [];
  const add = async (accountId: string, raw: Buffer): Promise<void> => {
    const body = { accountId, raw, contentEncoding: 'gzip', limitBytes: BODY.length, isWanted: () => true };
    await inflater.inflate(body).finally(() => order.push(accountId));
  };
  const many = Array.from({ length: 20 }, (_, n) => add('a', n % 2 === 0 ? gzipSync(BODY) : BODY));
  const outcomes = await Promise.allSettled([...many, add('b', gzipSync(BODY))]);
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 11);
  assert.ok(order.indexOf('b') < 10, 'it does not wait for all that came before');
});

test('four bodies are inflated at once, whosever they are', async () => {
  let begun = 0;
  const bodyOf = (accountId: string): CompressedBody => ({
    accountId,
    raw: gzipSync(BODY),
    contentEncoding: 'gzip',
    limitBytes: BODY.length,
    isWanted: () => begun++ >= 0,
  });
  const inflater = new Inflater();
  const all = ['a', 'a', 'a', 'b', 'b', 'b'].map((accountId) => inflater.inflate(bodyOf(accountId)));
  assert.equal(begun, 4);
  await Promise.all(all);
  assert.equal(begun, 6);
});

test('a body whose client has disconnected is not inflated when its turn comes', async () => {
  let isConnected = true;
  const body: CompressedBody = {
    accountId: 'a',
    raw: gzipSync(BODY),
    contentEncoding: 'gzip',
    limitBytes: BODY.length,
    isWanted: () => isConnected,
  };
  const inflater = new Inflater();
  const all = Array.from({ length: 4 }, () => inflater.inflate(body));
  isConnected = false;
  const outcomes = await Promise.allSettled(all);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'fulfilled', 'rejected'],
  );
});

test('a body is inflated as its encoding says, cut off at the limit, or refused', async () => {
  assert.deepEqual(await inflate(gzipSync(BODY), ' GZIP ', BODY.length), BODY);
  assert.equal(await inflate(BODY, undefined, 1), BODY);
  await assert.rejects(inflate(gzipSync(BODY), 'gzip', BODY.length - 1), { code: 'BODY_TOO_LARGE' });
  await assert.rejects(inflate(BODY, 'br', BODY.length), { code: 'INVALID_ENCODING' });
  await assert.rejects(inflate(BODY, 'constructor', BODY.length), { code: 'UNSUPPORTED_MEDIA_TYPE' });
});
