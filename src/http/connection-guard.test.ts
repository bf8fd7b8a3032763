import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkOf } from './connection-guard.ts';

test('the addresses of one IPv6 network count as one, wherever their zeros are left out', () => {
  const networks = (...addresses: string[]) => [...new Set(addresses.map(networkOf))];
  assert.deepEqual(networks('2001:db8::1', '2001:db8::5:0:0:1', '2001:db8:0:0:1::', '2001:db8::'), ['2001:db8:0:0']);
  assert.deepEqual(networks('2001:db8:0:7::1', '2001:db8:0:7:1:2:3:4'), ['2001:db8:0:7']);
  assert.deepEqual(networks('::1', '::'), ['0:0:0:0']);
  assert.deepEqual(networks('fe80::1%eth0', 'fe80::2%eth0'), ['fe80:0:0:0']);
});

test('an IPv4 address counts alone, also as a socket for both versions gives it', () => {
  for (const address of ['192.0.2.1', '::ffff:192.0.2.1', '']) assert.equal(networkOf(address), address);
});
