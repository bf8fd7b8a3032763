import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { Inflater } from './inflater.ts';

const BODY = Buffer.from('x'.repeat(1000));

test('only a few bodies grow at once, and one that cannot be read does not keep the others waiting', async () => {
  let running = 0;
  let most = 0;
  const gzip = async (body: Buffer): Promise<Buffer> => {
    most = Math.max(most, ++running);
    await nextTurn();
    running--;
    if (body.length === 0) throw new Error('not gzip');
    return body;
  };
  const inflater = new Inflater({ gzip }, 3);
  const outcomes = await Promise.allSettled(
    Array.from({ length: 20 }, (_, n) => inflater.inflate(n % 2 === 0 ? BODY : Buffer.alloc(0), 'gzip', 5000)),
  );
  assert.equal(most, 3);
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 10);
  assert.equal(await inflater.inflate(BODY, 'gzip', 5000), BODY);
});

test('a body is inflated as its encoding says, cut off at the limit, or refused', async () => {
  const inflater = new Inflater();
  assert.deepEqual(await inflater.inflate(gzipSync(BODY), ' GZIP ', BODY.length), BODY);
  assert.equal(await inflater.inflate(BODY, undefined, 1), BODY);
  await assert.rejects(inflater.inflate(gzipSync(BODY), 'gzip', BODY.length - 1), { code: 'BODY_TOO_LARGE' });
  await assert.rejects(inflater.inflate(BODY, 'br', BODY.length), { code: 'INVALID_ENCODING' });
  await assert.rejects(inflater.inflate(BODY, 'constructor', BODY.length), { code: 'UNSUPPORTED_MEDIA_TYPE' });
});
