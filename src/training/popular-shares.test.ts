// Tests data without any taste: the shares that a model gives items for known users match how often items are taken,
// even if events say little about what comes next.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../base/durations.ts';
import { seededRandom } from '../base/seeded-random.ts';
import { EventTableBuilder } from '../dataset/event-table.ts';
import { heldEvents } from '../dataset/training-events.ts';
import { KernelPool } from '../kernels/kernel-pool.ts';
import { createScorer } from '../scoring/create-scorer.ts';
import { fitModel } from './fit-model.ts';
import { TrainingClock } from './training-clock.ts';

const USERS = 2000;
const ITEMS = 200;
/** A brand: 3% of the catalog, the items that are taken most. */
const BRAND = 6;
const START = 1_700_000_000_000;
const CHANCES = Array.from({ length: ITEMS }, (_, item) => 1 / (item + 2));

/** The brand's part of these masses, without an item. */
function brandShare(masses: readonly number[], without: number): number {
  const sum = (some: readonly number[]) => some.reduce((total, mass, item) => total + (item === without ? 0 : mass), 0);
  return sum(masses.slice(0, BRAND)) / sum(masses);
}

/** The predicted share of the brand in what users with one item take next. */
async function saidOfBrand(eventsPerUser: number, item: number): Promise<number> {
  const { next: random } = seededRandom(7);
  const builder = new EventTableBuilder();
  const total = CHANCES.reduce((sum, chance) => sum + chance, 0);
  for (let user = 0; user < USERS; user++) {
    builder.beginUser();
    for (let n = 0; n < eventsPerUser; n++) {
      let drawn = 0;
      for (let rest = random() * total - CHANCES[0]; rest > 0 && drawn < ITEMS - 1; rest -= CHANCES[drawn]) drawn++;
      builder.add(drawn, 0, 1, START + (user % 100) * DAY_MS);
    }
  }
  const itemIds = Array.from({ length: ITEMS }, (_, n) => `i${n}`);
  const table = builder.finish({ itemIds, typeNames: ['buy'], targetType: 0 });
  const pool = new KernelPool(1);
  const { model } = await fitModel(pool, { events: heldEvents(table) }, {}, new TrainingClock());
  await pool.close();
  const z = new Float32Array(ITEMS);
  const history = { items: Uint32Array.of(item), weights: Float32Array.of(1), seen: Uint8Array.of(1) };
  createScorer(model).scoreAll({ length: 1, ...history }, z);
  return brandShare(
    Array.from(z, (score) => Math.exp(model.calibration.tau * score)),
    item,
  );
}

test('where every user has one event, users are said to take what all take', async () => {
  for (const item of [0, 20, 150]) {
    const [said, real] = [await saidOfBrand(1, item), brandShare(CHANCES, item)];
    assert.ok(Math.abs(said - real) < 0.05, `${said} instead of ${real}`);
  }
});

test('without times, scores are brought to the scale of what was held out', async () => {
  const [said, real] = [await saidOfBrand(4, 20), brandShare(CHANCES, 20)];
  assert.ok(Math.abs(said - real) < 0.1, `${said} instead of ${real}`);
});
