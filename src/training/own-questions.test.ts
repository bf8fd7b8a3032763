// Regulars of two tastes: most of what they buy they bought before, and now and then they take something new of their taste. What
// is new is joined by questions about what is new alone, however well a user's own items answer all questions.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { G1Model } from '../artifact/g1-model.ts';
import { DAY_MS } from '../base/durations.ts';
import { seededRandom } from '../base/seeded-random.ts';
import { type EventTable, EventTableBuilder } from '../dataset/event-table.ts';
import { heldEvents } from '../dataset/training-events.ts';
import { KernelPool } from '../kernels/kernel-pool.ts';
import { createScorer } from '../scoring/create-scorer.ts';
import { fitModel } from './fit-model.ts';
import { TrainingClock } from './training-clock.ts';

const ITEMS = 40;
const STAPLES = 4;
const WEEKS = 12;
const START = 1_700_000_000_000;

/** Items below ITEMS are of the common taste, which two of three users have, the others of the rare one. */
function regulars(users: number): EventTable {
  const { next: random } = seededRandom(5);
  const builder = new EventTableBuilder();
  for (let user = 0; user < users; user++) {
    const first = user % 3 === 0 ? ITEMS : 0;
    const draw = () => first + Math.floor(random() ** 2 * ITEMS);
    const staples = Array.from({ length: STAPLES }, draw);
    builder.beginUser();
    for (let week = 0; week < WEEKS; week++) {
      const ts = START + week * 7 * DAY_MS + user * 60_000;
      for (const item of [...staples, draw()]) builder.add(item, 0, 1, ts);
    }
  }
  const itemIds = Array.from({ length: 2 * ITEMS }, (_, item) => `i${item}`);
  return builder.finish({ itemIds, typeNames: ['buy'], targetType: 0 });
}

async function learn(users: number): Promise<G1Model> {
  const pool = new KernelPool(1);
  try {
    return (await fitModel(pool, { events: heldEvents(regulars(users)) }, {}, new TrainingClock())).model;
  } finally {
    await pool.close();
  }
}

/** The best new items for a user of the rare taste. */
function newItems(model: G1Model): number[] {
  const history = {
    length: 3,
    items: Uint32Array.of(ITEMS + 9, ITEMS + 5, ITEMS + 14),
    weights: Float32Array.of(1, 1, 1),
    seen: Uint8Array.of(1, 1, 1),
  };
  const [items, scores] = [new Uint32Array(8), new Float32Array(8)];
  const options = { moment: 'discovering', allow: null } as const;
  assert.equal(createScorer(model).top(history, 8, options, { items, scores }), 8);
  return [...items];
}

for (const users of [45, 150]) {
  test(`where ${users} users come back to items, new items are of the user's taste, not merely popular`, async () => {
    const model = await learn(users);
    assert.equal(model.objectives!.auto, 'any');
    const ofTaste = newItems(model).filter((item) => item >= ITEMS);
    assert.ok(ofTaste.length >= 7, `${ofTaste.length} of 8 are of the user's taste`);
    const { weights } = model.moments!.discovering!.blend;
    const leading = model.experts.filter(({ kind }, n) => kind === 'item-to-item' && weights[n] > 0);
    assert.ok(leading.some(({ name }) => name !== 'repeat'));
  });
}
