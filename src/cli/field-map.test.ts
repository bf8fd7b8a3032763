import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collectField } from './field-map.ts';

test('a field cannot be read from two columns', () => {
  const map = collectField('user_id=userId');
  assert.throws(() => collectField('user_id=anonymousId', map), /user_id is read from userId already/);
  assert.deepEqual(collectField('ts=when', map), { user_id: 'userId', ts: 'when' });
});
