// Every parameter can be fixed by hand: it is obeyed, the model is sound, and its settings say what is in force.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '../../src/base/seeded-random.ts';
import { type AlgorithmParameters, EXPERT_NAMES, G1_PARAMETERS } from '../../src/domain/algorithm-parameters.ts';
import { parseAlgorithmParameters } from '../../src/domain/parse-algorithm-parameters.ts';
import { withCurrentNames } from '../../src/domain/renamed-parameters.ts';
import { trainOn } from '../support/train-on.ts';

/** Two tastes, sixty users, with views next to the purchases and some items bought again. */
function events() {
  const { next: chance } = seededRandom(21);
  return Array.from({ length: 900 }, (_, n) => {
    const user = n % 60;
    const item = 2 * Math.floor(chance() ** 2 * 15) + (user % 2);
    return {
      user_id: `u${user}`,
      item_id: `i${item}`,
      event_type: chance() < 0.3 ? 'view' : 'buy',
      event_value: 1 + Math.floor(chance() * 4),
      ts: 1_700_000_000_000 + n * 3_600_000,
    };
  });
}

const GIVEN: AlgorithmParameters[] = [
  { experts: ['popularity'] },
  { experts: ['walk'], walk: { gamma: 0.5, beta: 1, delta: 0.25, rho: 0.8 } },
  { experts: ['local_ridge'], local_ridge: { neighbours: 7, lambda: 2, rho: 0.4, gamma: 0.5 } },
  { experts: ['transitions'], transitions: { variants: ['mk1', 'window'] } },
  { experts: ['low_rank', 'walk'], low_rank: { factors: 8 } },
  { popularity: { half_life_days: 3 }, half_life_days: 30, value_weighting: 'linear' },
  { popularity: { half_life_days: null }, half_life_days: null, value_weighting: 'relative' },
  { event_type_weights: { view: 0.5, never_seen: 1 }, history_cap: 3 },
  { event_type_weights: { view: 0 }, horizon: 'browsing' },
  { horizon: 'later', repeats: 'recommend', seed: 99 },
  { horizon: 'arriving', repeats: 'exclude', time_budget_seconds: 1, seed: 4_294_967_295 },
];

test('the list below names every parameter', () => {
  const named = new Set(GIVEN.flatMap((given) => Object.keys(given)));
  assert.deepEqual([...named].sort(), Object.keys(G1_PARAMETERS).sort());
  assert.deepEqual(new Set(GIVEN.flatMap(({ experts }) => experts ?? [])), new Set(EXPERT_NAMES));
});

for (const given of GIVEN) {
  test(`trains with ${JSON.stringify(given)}`, async () => {
    const parameters = parseAlgorithmParameters(given);
    const { model, recommender } = await trainOn({ events: events(), parameters });
    const { items } = recommender.top({ history: [], attributes: {} }, { limit: 10 });
    assert.equal(items.length, 10);
    if (given.history_cap !== undefined) assert.equal(model.historyCap, given.history_cap);
    if (given.repeats !== undefined) assert.equal(model.repeats.recommendSeen, given.repeats === 'recommend');
    if (given.event_type_weights?.view !== undefined)
      assert.equal(model.typeWeights.view, given.event_type_weights.view);
    if (given.seed !== undefined) assert.equal(model.seed, given.seed);
    if (given.value_weighting !== undefined) assert.equal(model.settings.value_weighting, given.value_weighting);
    if (given.half_life_days !== undefined) assert.equal(model.settings.half_life_days, given.half_life_days);
    if (given.horizon !== undefined) assert.equal(model.settings.horizon, given.horizon);
    if (given.experts !== undefined) {
      // popularity is always there, and where users come back to items their own past takes part
      const allowed = new Set<string>([...given.experts, 'popularity', 'repeat']);
      for (const { family } of model.settings.experts as { family: string }[]) assert.ok(allowed.has(family), family);
    }
  });
}

test('parameters of version 0.1.0 are read under their present names, with a warning', () => {
  const old = { validation: 'last_item', validation_users: 500, value_weighting: 'none' };
  assert.deepEqual(parseAlgorithmParameters(old), { horizon: 'browsing', value_weighting: 'log' });
  assert.deepEqual(
    withCurrentNames(old).warnings.map(({ pointer }) => pointer),
    ['validation', 'validation_users', 'value_weighting'].map((name) => `/algorithm_parameters/${name}`),
  );
  assert.throws(() => parseAlgorithmParameters({ validation: 'tomorrow' }), /no parameter "validation"/);
});
