// A few users of groups that share no item: whoever looks at such data sees at once what to recommend, so a model must too.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventTableBuilder } from '../dataset/event-table.ts';
import { heldEvents } from '../dataset/training-events.ts';
import { KernelPool } from '../kernels/kernel-pool.ts';
import { createScorer } from '../scoring/create-scorer.ts';
import { fitModel } from './fit-model.ts';
import { TrainingClock } from './training-clock.ts';

const START = 1_700_000_000_000;
const GROUPS = 3;

interface Shape {
  readonly users: number;
  readonly items: number;
  readonly events: number;
  readonly gapMs: number;
}

/** The share of users whose list begins with items of their group that they do not have yet, as far as others link them. */
async function shareRight({ users, items, events, gapMs }: Shape, moment: 'browsing' | 'arriving'): Promise<number> {
  const builder = new EventTableBuilder();
  const histories: number[][] = [];
  for (let user = 0; user < users; user++) {
    builder.beginUser();
    const history: number[] = [];
    for (let n = 0; n < events; n++) {
      const item = (user % GROUPS) * items + ((user + n) % items);
      history.push(item);
      builder.add(item, 0, 1, START + user * 1000 + n * gapMs);
    }
    histories.push(history);
  }
  const itemIds = Array.from({ length: GROUPS * items }, (_, item) => `i${item}`);
  const table = builder.finish({ itemIds, typeNames: ['buy'], targetType: 0 });
  const pool = new KernelPool(1);
  const { model } = await fitModel(pool, { events: heldEvents(table) }, {}, new TrainingClock());
  await pool.close();
  const scorer = createScorer(model);
  const limit = Math.min(items - events, events - 1);
  let right = 0;
  for (const [user, history] of histories.entries()) {
    const signal = {
      length: history.length,
      items: Uint32Array.from(history.toReversed()),
      weights: new Float32Array(history.length).fill(1),
      seen: new Uint8Array(history.length).fill(1),
    };
    const list = { items: new Uint32Array(limit), scores: new Float32Array(limit) };
    const found = scorer.top(signal, limit, { moment, allow: null }, list);
    const ofGroup = list.items.subarray(0, found).every((item) => Math.floor(item / items) === user % GROUPS);
    if (ofGroup && found === limit) right++;
  }
  return right / users;
}

for (const shape of [
  { users: 24, items: 8, events: 5, gapMs: 1 },
  { users: 60, items: 8, events: 5, gapMs: 1 },
  { users: 60, items: 8, events: 5, gapMs: 86_400_000 },
  { users: 150, items: 20, events: 6, gapMs: 3_600_000 },
]) {
  for (const moment of ['browsing', 'arriving'] as const) {
    const { users, events, items, gapMs } = shape;
    test(`${users} users with ${events} of ${items} items, ${gapMs} ms apart, get what is left of their group while ${moment}`, async () => {
      assert.ok((await shareRight(shape, moment)) > 0.95);
    });
  }
}
