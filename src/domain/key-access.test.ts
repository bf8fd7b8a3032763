import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyAccess } from './key-access.ts';

test('the access of a key is told by its kind and scopes', () => {
  assert.equal(keyAccess({ kind: 'secret', scopes: ['*'] }), 'All operations');
  assert.equal(keyAccess({ kind: 'browser', scopes: ['*'] }), 'Events, impressions and lists of its project');
  assert.equal(keyAccess({ kind: 'browser', scopes: ['/track'] }), '/track');
  assert.equal(keyAccess({ kind: 'secret', scopes: ['/track', '/get-item'] }), '2 operations');
});
