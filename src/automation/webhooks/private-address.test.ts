import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPrivateAddress, privateHostOf } from './private-address.ts';

test('addresses of the machine, the network and the cloud are private, others are not', () => {
  for (const address of [
    '127.0.0.1',
    '127.255.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:10.0.0.1',
    '::ffff:a9fe:a9fe',
    'fe80::1',
    'fd00::1',
    'fc12::1',
    'ff02::1',
    '64:ff9b::a00:1',
    '2002:a00:1::',
    '::127.0.0.1',
  ]) {
    assert.ok(isPrivateAddress(address), address);
  }
  for (const address of ['8.8.8.8', '172.32.0.1', '100.128.0.1', '::ffff:8.8.8.8', '2606:4700::1111', '2a00:1450::1']) {
    assert.ok(!isPrivateAddress(address), address);
  }
});

test('a URL of a private address or the own machine is found, however its number is written', () => {
  const hosts = [
    '127.0.0.1',
    '10.0.0.1:8443',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '2130706433',
    '0x7f.1',
    '169.254.169.254',
    'localhost',
    'a.localhost.',
  ];
  for (const host of hosts) assert.notEqual(privateHostOf(`https://${host}/x`), null, host);
  for (const host of ['example.com', '8.8.8.8', '[2606:4700::1111]']) {
    assert.equal(privateHostOf(`https://${host}/x`), null, host);
  }
});
