import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainRules } from './choose-rules.ts';

const NAMES = {
  itemIds: [],
  itemCount: 0,
  typeNames: ['buy', 'constructor', 'toString', '__proto__', 'view'],
  targetType: 0,
};

test('a type may have any name', () => {
  assert.deepEqual(plainRules(NAMES, {}, 1).typeWeights, [1, 1, 1, 1, 1]);
  const event_type_weights = JSON.parse('{ "__proto__": 0.3, "toString": 0.1, "view": 0 }');
  assert.deepEqual(plainRules(NAMES, { event_type_weights }, 1).typeWeights, [1, 1, 0.1, 0.3, 0]);
});
