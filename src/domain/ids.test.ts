import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemRuntime } from '../base/runtime.ts';
import { newId } from './ids.ts';
import { normalScopes, scopeBeyond } from './scopes.ts';

test('ids sort by the time they were made, and those of one time differ', () => {
  const times = [0, 1, 1_700_000_000_000, 1_800_000_000_000, 1_800_000_000_001];
  const ids = times.map((nowMs) => newId('project', systemRuntime, nowMs));
  assert.deepEqual(ids.toSorted(), ids);
  for (const id of ids) assert.match(id, /^prj_[0-9a-hjkmnp-tv-z]{26}$/);
  assert.equal(new Set(Array.from({ length: 1000 }, () => newId('job', systemRuntime, 5))).size, 1000);
});

test('an id is its time and ten random bytes in base 32', () => {
  const randomBytes = () => Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 1, 31);
  assert.equal(newId('model', { nowMs: () => 33, randomBytes }), 'mdl_0000000011000000000000008z');
});

test('scopes are kept once, and * includes all', () => {
  assert.deepEqual(normalScopes(['/a', '/b', '/a']), ['/a', '/b']);
  assert.deepEqual(normalScopes(['/a', '*']), ['*']);
  assert.equal(scopeBeyond(['*'], ['/a', '*']), undefined);
  assert.equal(scopeBeyond(['/a', '/b'], ['/b', '/a']), undefined);
  assert.equal(scopeBeyond(['/a'], ['/a', '/c', '/b']), '/c');
  assert.equal(scopeBeyond(['/a'], ['*']), '*');
});
