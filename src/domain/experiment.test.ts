import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canReplace, withOverrides } from './experiment.ts';
import { FALLBACK_KINDS, PLACEMENT_KINDS, type PlacementDefinition } from './placement.ts';

const DEFINITION: PlacementDefinition = {
  kind: 'for_you',
  defaults: { limit: 10, exclude_seen: true },
  rules: [{ name: 'summer' }],
  fallback: ['trending', 'popular'],
  fatigue: { after: 3, days: 7 },
};

test('a variant changes what it names and leaves the rest of the placement', () => {
  assert.deepEqual(withOverrides(DEFINITION, { limit: 5 }), {
    ...DEFINITION,
    defaults: { limit: 5, exclude_seen: true },
  });
  assert.deepEqual(withOverrides(DEFINITION, {}), DEFINITION);
});

test('a variant of another kind is not filled with its own kind', () => {
  const { kind, fallback, defaults } = withOverrides(DEFINITION, { kind: 'trending' });
  assert.deepEqual({ kind, fallback }, { kind: 'trending', fallback: ['popular'] });
  assert.deepEqual(defaults, DEFINITION.defaults);
});

test('a kind can replace another when calls give what it needs', () => {
  const needItems = ['similar', 'together', 'next'];
  for (const kind of PLACEMENT_KINDS) {
    for (const other of PLACEMENT_KINDS) {
      const isRanking = kind === 'ranking' || other === 'ranking';
      const givesItems = needItems.includes(kind) || !needItems.includes(other);
      assert.equal(canReplace(kind, other), kind === other || (!isRanking && givesItems), `${kind} by ${other}`);
    }
  }
});

test('every kind but a ranking can fill a list', () => {
  assert.deepEqual(new Set([...FALLBACK_KINDS, 'ranking']), new Set(PLACEMENT_KINDS));
  assert.equal(FALLBACK_KINDS.length, PLACEMENT_KINDS.length - 1);
});
