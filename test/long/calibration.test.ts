// Usage means what it says: on made data with planted taste a trained model foretells the share of an attribute value that users
// take, for each kind of user and in every tenth, and says how sure that is.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UsageMapper } from '../../src/insight/usage/usage-mapper.ts';
import { favorites, type TasteWorld, tasteWorld, twoSides } from '../support/shop-simulator/taste-worlds.ts';
import { type Trained, trainOn } from '../support/train-on.ts';

interface Measured {
  readonly trained: Trained;
  /** usage of each value by each user */
  readonly usage: ReadonlyMap<string, Float32Array>;
}

async function measured(world: TasteWorld): Promise<Measured> {
  const trained = await trainOn({ events: world.events, items: world.items, parameters: { repeats: 'recommend' } });
  const { recommender, catalog, historyOf, model } = trained;
  const pairs = world.values.map((value) => ({ attribute: 'taste', value }));
  const shares = recommender.shares(pairs.map(({ value }) => catalog.itemsWith('taste', value)));
  const population = new Float32Array(pairs.length);
  shares({ history: [], attributes: {} }, population);
  const mapper = new UsageMapper(model.calibration.usage, pairs, population);
  const usage = new Map(
    world.users.map((user) => {
      const usages = new Float32Array(pairs.length);
      shares({ history: historyOf(user), attributes: {} }, usages);
      mapper.apply({ first: 0, count: 1, usages, basis: new Uint8Array(1) });
      return [user, usages];
    }),
  );
  return { trained, usage };
}

/** Mean usage of a value by the users whose planted share of it is `share`. */
function meanUsage({ usage }: Measured, world: TasteWorld, value: number, share: number): number {
  const users = world.users.filter((user) => Math.abs(world.shareOf(user, `v${value}`) - share) < 1e-9);
  return users.reduce((sum, user) => sum + usage.get(user)![value], 0) / users.length;
}

test('users who take a value one time in ten, or nine, are told apart and said to be so', async () => {
  const world = tasteWorld({ seed: 8, users: 600, eventsPerUser: 30, itemsPerValue: 120, sharesOf: twoSides });
  const result = await measured(world);
  for (const share of [0.1, 0.5, 0.9]) {
    const mean = meanUsage(result, world, 0, share);
    assert.ok(Math.abs(mean - share) < 0.05, `planted ${share}, said ${mean}`);
  }
  const { values, questions } = result.trained.model.calibration.usage!;
  assert.ok(questions >= 300, `${questions} questions`);
  for (const { value, figures } of values) {
    assert.ok(Math.abs(figures.predicted - figures.observed) < 0.04, `${value}: ${JSON.stringify(figures)}`);
    assert.ok(figures.slope > 0.85 && figures.slope < 1.15, `${value}: ${figures.slope}`);
  }
});

test('a favorite among several values comes out at its share, for common and rare favorites', async () => {
  const sharesOf = favorites(6, 0.75);
  const world = tasteWorld({ seed: 9, users: 900, eventsPerUser: 30, itemsPerValue: 60, sharesOf });
  const result = await measured(world);
  for (const [value] of world.values.entries()) {
    for (const share of [0.75, 0.05]) {
      const mean = meanUsage(result, world, value, share);
      assert.ok(Math.abs(mean - share) < 0.05, `v${value}: planted ${share}, said ${mean}`);
    }
  }
});
