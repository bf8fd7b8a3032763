import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BrowserPace } from './browser-pace.ts';

const codeOf = (act: () => void): string | null => {
  try {
    act();
    return null;
  } catch (error) {
    return (error as { code: string }).code;
  }
};

test('a key and an address have a rate each, and what the key refuses does not count for the address', () => {
  const pace = new BrowserPace({ perKey: 5, perAddress: 3 });
  const call = (key: string, address: string, nowMs = 0) =>
    codeOf(() => {
      pace.admitAddress(address, nowMs);
      pace.admitKey(key, address, nowMs);
    });
  assert.deepEqual(
    [1, 2, 3, 4].map(() => call('k1', 'a')),
    [null, null, null, 'RATE_LIMITED'],
  );
  assert.deepEqual(
    [1, 2, 3].map(() => call('k1', 'b')),
    [null, null, 'RATE_LIMITED'],
  );
  assert.equal(call('k2', 'b'), null, 'its third: the one the key refused was given back');
  assert.equal(call('k2', 'b'), 'RATE_LIMITED');
  assert.equal(call('k1', 'a', 1000), null);
});
