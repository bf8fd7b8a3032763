import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseEncoding } from './compression.ts';

test('the best encoding both sides know is chosen, refusals are respected', () => {
  assert.equal(chooseEncoding('gzip, deflate, br, zstd'), 'zstd');
  assert.equal(chooseEncoding('gzip, deflate, br'), 'br');
  assert.equal(chooseEncoding('GZIP;q=0.5'), 'gzip');
  assert.equal(chooseEncoding('*'), 'zstd');
  assert.equal(chooseEncoding('zstd;q=0, br;q=0, *;q=0.1'), 'gzip');
  assert.equal(chooseEncoding('identity'), null);
  assert.equal(chooseEncoding('gzip;q=0'), null);
  assert.equal(chooseEncoding(''), null);
});
