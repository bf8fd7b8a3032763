// Tests which shapes of values are tried: a user's own mean is for ratings, not for quantities.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../base/durations.ts';
import { seededRandom } from '../base/seeded-random.ts';
import { EventTableBuilder } from '../dataset/event-table.ts';
import { heldEvents } from '../dataset/training-events.ts';
import { KernelPool } from '../kernels/kernel-pool.ts';
import { fitModel } from './fit-model.ts';
import { TrainingClock } from './training-clock.ts';

const USERS = 300;
const ITEMS = 60;
const START = 1_700_000_000_000;

/** `looks`: users look at things too, for any number of seconds. */
async function shapesTried(levels: number, looks = false): Promise<unknown[]> {
  const { next: random } = seededRandom(3);
  const builder = new EventTableBuilder();
  for (let user = 0; user < USERS; user++) {
    builder.beginUser();
    for (let n = 0; n < 8; n++) {
      const value = 1 + Math.floor(random() * levels);
      const ts = START + (n * 7 + user / USERS) * DAY_MS;
      builder.add(Math.floor(random() ** 2 * ITEMS), 0, value, ts);
      if (looks) builder.add(Math.floor(random() ** 2 * ITEMS), 1, 1 + Math.floor(600 * random()), ts);
    }
  }
  const itemIds = Array.from({ length: ITEMS }, (_, item) => `i${item}`);
  const table = builder.finish({ itemIds, typeNames: ['buy', 'look'], targetType: 0 });
  const pool = new KernelPool(1);
  try {
    const { model } = await fitModel(pool, { events: heldEvents(table) }, {}, new TrainingClock());
    const trials = model.settings.rule_choices as { rule: string; value: unknown }[];
    return trials.filter(({ rule }) => rule === 'value_weighting').map(({ value }) => value);
  } finally {
    await pool.close();
  }
}

test("ratings may count relative to the user's own mean, quantities may not", async () => {
  assert.deepEqual(await shapesTried(5), ['linear', 'relative']);
  assert.deepEqual(await shapesTried(40), ['linear']);
  assert.deepEqual(await shapesTried(1), []);
  assert.deepEqual(await shapesTried(5, true), ['linear', 'relative'], 'how long users look at things is no rating');
});
