import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PlacementDefinition } from '../domain/placement.ts';
import type { AppError } from '../errors.ts';
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

test('a fallback that needs a user or an item that the call does not name is passed over', () => {
  const definition = { kind: 'popular', fallback: ['for_you', 'continue', 'similar', 'newest'] } as const;
  const kindsOf = (call: PlacementRequest) => listOf(definition, call).kinds.map(({ kind }) => kind);
  assert.deepEqual(kindsOf({}), ['top', 'top']);
  assert.deepEqual(kindsOf({ user_id: 'ann' }), ['top', 'user', 'user', 'top']);
  assert.deepEqual(kindsOf({ session_events: [], item_id: 'a' }), ['top', 'user', 'user', 'related', 'top']);
});

test('a placement whose own kind lacks a user or an item says which', () => {
  const missing = (kind: PlacementDefinition['kind'], call: PlacementRequest, pointer: string) =>
    assert.throws(
      () => listOf({ kind }, call),
      (error: AppError) => error.code === 'INVALID_REQUEST' && error.errors?.[0].pointer === pointer,
    );
  missing('for_you', { user_id: null }, '/user_id');
  missing('ranking', { item_ids: ['a'] }, '/user_id');
  missing('ranking', { user_id: 'ann' }, '/item_ids');
  missing('similar', { user_id: 'ann' }, '/item_id');
});
