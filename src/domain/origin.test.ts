import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_ORIGIN_LENGTH, originProblem } from './origin.ts';

test('an exact origin is scheme, host and port', () => {
  for (const origin of ['https://shop.example', 'http://localhost:3000', `https://${'a.'.repeat(60)}example`]) {
    assert.equal(originProblem(origin), null, origin);
  }
});

test('anything else is not an origin', () => {
  for (const text of [
    '',
    'shop.example',
    'https://*.shop.example',
    'ftp://shop.example',
    'file:///etc/passwd',
    `https://${'a.'.repeat(MAX_ORIGIN_LENGTH / 2)}example`,
  ]) {
    assert.match(originProblem(text) ?? '', /must be an exact origin/, text);
  }
});

test('an address that contains an origin is refused with the origin that was meant', () => {
  for (const text of ['https://shop.example/', 'https://shop.example:443', 'https://SHOP.example/cart?x=1']) {
    assert.match(originProblem(text) ?? '', /https:\/\/shop\.example$/, text);
  }
});
