import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { searchPattern } from './search-pattern.ts';
import { MAX_OBJECT_BYTES, refuseLargeObject, storedObject } from './stored-json.ts';

test('an object is stored up to the limit in bytes', () => {
  const frame = JSON.stringify({ text: '' }).length;
  const fits = (text: string) => refuseLargeObject('job', { text });
  fits('x'.repeat(MAX_OBJECT_BYTES - frame));
  assert.throws(() => fits('x'.repeat(MAX_OBJECT_BYTES - frame + 1)), {
    code: 'INVALID_REQUEST',
    message: /^The job has 65537 bytes as JSON; at most 65536 are stored\./,
  });
  assert.throws(() => fits('é'.repeat((MAX_OBJECT_BYTES - frame) / 2 + 1)), { code: 'INVALID_REQUEST' });
});

test('what is larger than it could be is passed over when it is read', () => {
  const quoted = (length: number) => JSON.stringify('x'.repeat(length - 2));
  assert.deepEqual(storedObject('{"a":1}'), { a: 1 });
  assert.equal(storedObject(quoted(1024 * 1024)).length, 1024 * 1024 - 2);
  assert.deepEqual(storedObject(quoted(1024 * 1024 + 1)), { too_large_to_show: 1024 * 1024 + 1 });
});

test('a search finds its text anywhere and takes every character literally', (t) => {
  const db = new DatabaseSync(':memory:');
  t.after(() => db.close());
  const like = db.prepare(`SELECT ? LIKE ? ESCAPE '\\' AS found`);
  const finds = (text: string, searched: string) => like.get(text, searchPattern(searched))!.found === 1;
  assert.ok(finds('a 50% discount', '50%'));
  assert.ok(!finds('a 500 discount', '50%'));
  assert.ok(finds('item_1', 'm_1'));
  assert.ok(!finds('item-1', 'm_1'));
  assert.ok(finds('a\\b', '\\'));
  assert.ok(!finds('ab', '\\'));
  assert.ok(finds('anything', ''));
});
