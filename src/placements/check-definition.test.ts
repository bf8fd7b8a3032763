import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PlacementDefinition } from '../domain/placement.ts';
import { checkDefinition } from './check-definition.ts';

test('what is wrong with a definition names the field as all other calls do, without a slash before it', () => {
  const refusal = (definition: Partial<PlacementDefinition>, message: RegExp) =>
    assert.throws(
      () => checkDefinition({ kind: 'trending', defaults: {}, rules: [], fallback: [], fatigue: null, ...definition }),
      { message },
    );
  refusal({ defaults: { window_hours: 500 } }, /^defaults\/window_hours must be at most 168 /);
  refusal({ fallback: ['trending'] }, /^fallback\/0 is the kind of the placement itself\.$/);
  refusal({ rules: [{ name: 'r', only_if: 'x =' }] }, /^rules\/0\/only_if: /);
});
