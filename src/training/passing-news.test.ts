// News that nobody reads after a day or two. However much of the past is kept, what is popular is what is popular now.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../base/durations.ts';
import { seededRandom } from '../base/seeded-random.ts';
import { EventTableBuilder } from '../dataset/event-table.ts';
import { heldEvents } from '../dataset/training-events.ts';
import { KernelPool } from '../kernels/kernel-pool.ts';
import { fitModel } from './fit-model.ts';
import { TrainingClock } from './training-clock.ts';

const DAYS = 730;
const USERS = 200;
const ARTICLES_A_DAY = 10;
const START = 1_700_000_000_000;

/** An article of this day or of the day before. */
function articleOf(day: number, random: () => number): number {
  return Math.max(0, day - (random() < 0.3 ? 1 : 0)) * ARTICLES_A_DAY + Math.floor(random() ** 2 * ARTICLES_A_DAY);
}

/** How many of the ten most popular articles are from the last three days. */
async function newestAmongTen(builder: EventTableBuilder, days: number): Promise<number> {
  const itemIds = Array.from({ length: days * ARTICLES_A_DAY }, (_, n) => `a${n}`);
  const events = heldEvents(builder.finish({ itemIds, typeNames: ['read'], targetType: 0 }));
  const pool = new KernelPool(1);
  const { model } = await fitModel(pool, { events }, { experts: ['popularity'] }, new TrainingClock());
  await pool.close();
  const popularity = model.experts.find((expert) => expert.kind === 'popularity')!;
  const best = [...popularity.values.keys()].sort((a, b) => popularity.values[b] - popularity.values[a]).slice(0, 10);
  return best.filter((article) => article >= (days - 3) * ARTICLES_A_DAY).length;
}

test('what passes in days counts for days, with two years of it at hand', async () => {
  const { next: random } = seededRandom(3);
  const builder = new EventTableBuilder();
  for (let user = 0; user < USERS; user++) {
    builder.beginUser();
    for (let day = Math.floor(random() * 6); day < DAYS; day += 1 + Math.floor(random() * 6)) {
      builder.add(articleOf(day, random), 0, 1, START + (day + random()) * DAY_MS);
    }
  }
  const newest = await newestAmongTen(builder, DAYS);
  assert.ok(newest >= 8, `${newest} of the ten most popular are of the last three days`);
});

for (const secondReads of [0, 0.01]) {
  test(`so it does where nobody comes back, and ${secondReads * 100}% read a second article`, async () => {
    const { next: random } = seededRandom(4);
    const builder = new EventTableBuilder();
    const days = 90;
    for (let day = 0; day < days; day++) {
      for (let visitor = 0; visitor < 120; visitor++) {
        builder.beginUser();
        const ts = START + (day + random()) * DAY_MS;
        builder.add(articleOf(day, random), 0, 1, ts);
        if (random() < secondReads) builder.add(articleOf(day, random), 0, 1, ts + 600_000);
      }
    }
    const newest = await newestAmongTen(builder, days);
    assert.ok(newest >= 8, `${newest} of the ten most popular are of the last three days`);
  });
}
