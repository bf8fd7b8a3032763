import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PlacementDefinition } from '../domain/placement.ts';
import { type PlacementRequest, placementList } from './placement-list.ts';

const listOf = (definition: Partial<PlacementDefinition>, call: PlacementRequest) =>
  placementList({ kind: 'for_you', defaults: {}, rules: [], fallback: [], fatigue: null, ...definition }, call, []);

test('a ranking has all items of the call unless the call or the defaults limit it', () => {
  const call = { user_id: 'ann', item_ids: ['a', 'b', 'c'] };
  const limitOf = (defaults: object, more: PlacementRequest = {}) =>
    listOf({ kind: 'ranking', defaults }, { ...call, ...more }).request.limit;
  assert.equal(limitOf({}), 3);
  assert.equal(limitOf({ limit: 2 }), 2);
  assert.equal(limitOf({ limit: 2 }, { limit: 1 }), 1);
});
