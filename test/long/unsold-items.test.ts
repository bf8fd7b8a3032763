// Usage where most of the catalog has never sold: items without events get what such items were seen to get.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UsageMapper } from '../../src/insight/usage/usage-mapper.ts';
import { type TasteWorld, tasteWorld } from '../support/shop-simulator/taste-worlds.ts';
import { type Trained, trainOn } from '../support/train-on.ts';

const DAY_MS = 86_400_000;
/** Two brands that users prefer, and one that nobody buys much of. */
const SHARES = [
  [0.85, 0.12, 0.03],
  [0.12, 0.85, 0.03],
];

const marketplace = () =>
  tasteWorld({ seed: 4, users: 400, eventsPerUser: 30, itemsPerValue: 40, sharesOf: (user) => SHARES[user % 2] });

/** Items that nobody bought: of the third brand 40%. */
const unsold = Array.from({ length: 1000 }, (_, n) => ({
  id: `unsold-${n}`,
  attributes: { taste: n % 10 < 3 ? 'v0' : n % 10 < 6 ? 'v1' : 'v2' },
}));

/** Mean usage of each value by the users with the shares SHARES[side]. */
function usagesOf(world: TasteWorld, { recommender, catalog, model, historyOf }: Trained, side: number): number[] {
  const pairs = world.values.map((value) => ({ attribute: 'taste', value }));
  const shares = recommender.shares(pairs.map(({ value }) => catalog.itemsWith('taste', value)));
  const population = new Float32Array(pairs.length);
  shares({ history: [], attributes: {} }, population);
  const mapper = new UsageMapper(model.calibration.usage, pairs, population);
  const users = world.users.filter((_, user) => user % 2 === side);
  const sums = pairs.map(() => 0);
  for (const user of users) {
    const usages = new Float32Array(pairs.length);
    shares({ history: historyOf(user), attributes: {} }, usages);
    mapper.apply({ first: 0, count: 1, usages, basis: new Uint8Array(1) });
    for (const [n, usage] of usages.entries()) sums[n] += usage / users.length;
  }
  return sums;
}

test('stock that never sold takes nothing from what users buy', async () => {
  const world = marketplace();
  const trained = await trainOn({
    events: world.events,
    items: [...world.items, ...unsold],
    parameters: { repeats: 'recommend' },
  });
  assert.ok(trained.model.calibration.coldShare! < 0.02, `${trained.model.calibration.coldShare}`);
  for (const [side, planted] of SHARES.entries()) {
    for (const [value, usage] of usagesOf(world, trained, side).entries()) {
      assert.ok(Math.abs(usage - planted[value]) < 0.05, `v${value}: planted ${planted[value]}, said ${usage}`);
    }
  }
});

test('new items together get the share that new items got', async () => {
  const world = marketplace();
  // In the newest days every fifth purchase is of an item that had none before, with the value of the one in its place, and soon leaves again.
  const times = world.events.map(({ ts }) => ts);
  const newTs = times[Math.floor(0.75 * times.length)];
  const newItem = (id: string, n: number) => `new${id.slice(0, 'item-0'.length)}-${Math.floor(n / 100)}`;
  const events = world.events.map((event, n) =>
    event.ts > newTs && n % 5 === 0 ? { ...event, item_id: newItem(event.item_id, n) } : event,
  );
  const ofNew = [...new Set(events.map(({ item_id }) => item_id).filter((id) => id.startsWith('new')))];
  const launched = ofNew.map((id) => ({ id, attributes: { taste: `v${id.split('-')[1]}` } }));
  const trained = await trainOn({
    events,
    items: [...world.items, ...launched, ...unsold],
    parameters: { repeats: 'recommend' },
  });
  const { coldShare } = trained.model.calibration;
  assert.ok(coldShare! > 0.05 && coldShare! < 0.25, `${coldShare}`);
  const { catalog, recommender, historyOf } = trained;
  const spread = new Float32Array(catalog.itemCount);
  recommender.distribution({ history: historyOf(world.users[0]), attributes: {} }, spread);
  const ofUnsold = unsold.reduce((sum, { id }) => sum + spread[catalog.indexOf(id)], 0);
  assert.ok(Math.abs(ofUnsold - coldShare!) < 1e-4, `${ofUnsold}`);
  const taste = usagesOf(world, trained, 0);
  assert.ok(taste[0] > 0.7 && taste[2] < 0.2, `${taste}`);
  assert.ok(times.at(-1)! - newTs > DAY_MS);
});
