import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseVariant, originOf } from './choose-variant.ts';
import type { LivePlacement } from './live-placements.ts';

const DEFINITION = { kind: 'user', fallback: ['top'], defaults: { limit: 10 } };

function placementWith(experiment: unknown): LivePlacement {
  return {
    name: 'home',
    current: { version: 3, definition: DEFINITION },
    experiment,
  } as unknown as LivePlacement;
}

const EXPERIMENT = {
  experiment_id: 'exp_1',
  variants: [
    { name: 'control', share: 1, overrides: {} },
    { name: 'short', share: 1, overrides: { limit: 3 } },
  ],
};

test('without an experiment, or for nobody in particular, a call gets the placement as it is', () => {
  const plain = { name: 'home', version: 3, definition: DEFINITION, experiment: null };
  assert.deepEqual(chooseVariant(placementWith(null), 'ann'), plain);
  for (const nobody of [null, undefined, '']) {
    assert.deepEqual(chooseVariant(placementWith(EXPERIMENT), nobody), plain);
  }
});

test('a user always gets the same variant with what it changes, and both variants are given', () => {
  const seen = new Set<string>();
  for (let user = 0; user < 40; user++) {
    const chosen = chooseVariant(placementWith(EXPERIMENT), `u${user}`);
    assert.deepEqual(chosen, chooseVariant(placementWith(EXPERIMENT), `u${user}`));
    const { variant, experimentId } = chosen.experiment!;
    assert.equal(experimentId, 'exp_1');
    assert.equal(chosen.definition.defaults.limit, variant === 'short' ? 3 : 10);
    assert.deepEqual([chosen.name, chosen.version], ['home', 3]);
    seen.add(variant);
  }
  assert.deepEqual([...seen].sort(), ['control', 'short']);
});

test('a list carries its variant, or that it has none', () => {
  assert.deepEqual(originOf(null), { variant: null, experimentId: null });
  assert.deepEqual(originOf({ variant: 'short', experimentId: 'exp_1' }), { variant: 'short', experimentId: 'exp_1' });
});
