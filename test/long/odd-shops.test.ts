// Shops at the edges, through training and every objective: each model serves lists that are filled, ordered and finite, and what
// is special about the data has the effect that is written down for it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '../../src/base/seeded-random.ts';
import { EventTableBuilder } from '../../src/dataset/event-table.ts';
import { heldEvents } from '../../src/dataset/training-events.ts';
import { JobFailure } from '../../src/domain/job.ts';
import type { UsedObjective } from '../../src/domain/objective.ts';
import type { EventRecord } from '../../src/domain/record.ts';
import { KernelPool } from '../../src/kernels/kernel-pool.ts';
import type { ItemList } from '../../src/placements/item-list.ts';
import { makeList } from '../../src/placements/make-list.ts';
import { fitModel } from '../../src/training/fit-model.ts';
import { TrainingClock } from '../../src/training/training-clock.ts';
import { listInputs } from '../support/list-inputs.ts';
import { type Trained, trainOn } from '../support/train-on.ts';

const USERS = 120;
const ITEMS = 40;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const START = Date.UTC(2026, 0, 1);
const NOW = START + 60 * DAY;
const OBJECTIVES = ['discover', 'continue', 'again', 'any'] as const;

type ShopEvent = Partial<EventRecord> & { user_id: string; item_id: string; ts: number };

const purchase = { event_type: 'buy' };
const view = { event_type: 'view' };

/** Every user comes on some days, looks at two items in turn and buys the second of them; tastes go round in circles. */
function shop(change: (event: ShopEvent, user: number, visit: number) => ShopEvent | null = (event) => event) {
  const events: ShopEvent[] = [];
  for (let user = 0; user < USERS; user++) {
    for (let visit = 0; visit < 6; visit++) {
      const ts = START + (visit * 8 + (user % 7)) * DAY;
      const at = (minute: number, item: number, what: Partial<EventRecord>) => {
        const event = { user_id: `u${user}`, item_id: `i${item % ITEMS}`, ts: ts + minute * 60_000, ...what };
        const changed = change(event, user, visit);
        if (changed !== null) events.push(changed);
      };
      const item = (user % 8) * 5 + visit;
      at(0, item + 1, view);
      at(3, item, view);
      at(6, item, purchase);
    }
  }
  return events;
}

function listOf({ recommender, historyOf }: Trained, userId: string, objective: UsedObjective): ItemList {
  const history = historyOf(userId).slice(0, 10_000);
  return makeList(listInputs({ generator: recommender, objective, history, nowMs: NOW, limit: 10, explain: true }));
}

/** Lists of every objective are full, without an item twice, and their scores are numbers. */
function assertServes(trained: Trained, users: readonly string[] = ['u0', 'u7', 'nobody']): void {
  for (const user of users) {
    for (const objective of OBJECTIVES) {
      const { items } = listOf(trained, user, objective);
      assert.equal(items.length, Math.min(10, trained.recommender.listed().count), `${objective} of ${user}`);
      assert.equal(new Set(items.map(({ item }) => item)).size, items.length);
      for (const { score } of items) assert.ok(Number.isFinite(score), `${objective} of ${user}: ${score}`);
    }
  }
  for (const measure of trained.metrics?.by_question ?? []) {
    for (const value of Object.values(measure.model)) assert.ok(value >= 0 && value <= 1, JSON.stringify(measure));
  }
}

const idsOf = ({ items }: ItemList) => items.filter(({ filled }) => !filled).map(({ item_id }) => item_id);

test('one event type only: nothing is there to continue with', async () => {
  const trained = await trainOn({ events: shop((event) => (event.event_type === 'buy' ? event : null)) });
  assertServes(trained);
  assert.deepEqual(idsOf(listOf(trained, 'u0', 'continue')), []);
});

test('all events at one time: there is no order, and no moment', async () => {
  const trained = await trainOn({ events: shop((event) => ({ ...event, ts: START })) });
  assertServes(trained);
  assert.equal(trained.model.settings.times, 'set');
});

test('times in the future count as now', async () => {
  const trained = await trainOn({ events: shop((event) => ({ ...event, ts: event.ts + 1000 * DAY })) });
  assertServes(trained);
  const again = listOf(trained, 'u0', 'again').items.filter(({ filled }) => !filled);
  assert.ok(again.length > 0 && again.every(({ score }) => score >= 1), 'their age is 0, not below');
});

test('one visit per user: what came later in it is predicted', async () => {
  const trained = await trainOn({ events: shop((event, _, visit) => (visit === 0 ? event : null)) });
  assertServes(trained);
});

test('every purchase without a view', async () => {
  const bought = shop((event) =>
    event.event_type === 'view' ? { ...event, item_id: `other-${event.item_id}` } : event,
  );
  const trained = await trainOn({ events: bought });
  assertServes(trained);
  const list = idsOf(listOf(trained, 'u0', 'continue'));
  assert.ok(list.length > 0 && list.every((id) => id.startsWith('other-')), 'what was looked at was never bought');
});

test('a target that never repeats is not recommended again by default, one that always does is', async () => {
  const never = await trainOn({ events: shop() });
  assertServes(never);
  assert.equal(never.recommender.objectives.auto, 'discover');
  const always = await trainOn({ events: shop((event, user) => ({ ...event, item_id: `i${user % ITEMS}` })) });
  assertServes(always);
  assert.equal(always.recommender.objectives.auto, 'any');
  assert.equal(idsOf(listOf(always, 'u5', 'any'))[0], 'i5');
});

test('values that are all equal change nothing', async () => {
  const plain = await trainOn({ events: shop() });
  const equal = await trainOn({ events: shop((event) => ({ ...event, event_value: 250 })) });
  assertServes(equal);
  const orderOf = (trained: Trained) => idsOf(listOf(trained, 'u3', 'discover'));
  assert.deepEqual(new Set(orderOf(equal).slice(0, 3)), new Set(orderOf(plain).slice(0, 3)));
});

test('values that are all negative are no reason to recommend anything, and training says so', async () => {
  await assert.rejects(trainOn({ events: shop((event) => ({ ...event, event_value: -1 })) }), (error: unknown) => {
    assert.ok(error instanceof JobFailure);
    assert.match(error.message, /value|positive/i);
    return true;
  });
});

test('values of 1e30 weigh like the largest that count', async () => {
  const huge = await trainOn({ events: shop((event) => ({ ...event, event_value: 1e30 })) });
  assertServes(huge);
  const mixed = await trainOn({
    events: shop((event, user) => ({ ...event, event_value: user % 5 === 0 ? 1e30 : 1 })),
  });
  assertServes(mixed);
});

test('again for a user without target events follows discover and says so', async () => {
  const trained = await trainOn({ events: [...shop(), { user_id: 'looker', item_id: 'i3', ts: START, ...view }] });
  const list = listOf(trained, 'looker', 'again');
  assert.ok(list.items.length === 10 && list.items.every(({ filled }) => filled === true));
  assert.deepEqual(
    list.items.map(({ item_id }) => item_id),
    listOf(trained, 'looker', 'discover').items.map(({ item_id }) => item_id),
  );
});

test('a context with attributes that training never saw changes nothing, and is named', async () => {
  const trained = await trainOn({ events: shop((event) => ({ ...event, attributes: { device: 'phone' } })) });
  const { recommender, historyOf } = trained;
  const user = { history: historyOf('u1'), attributes: {}, nowMs: NOW };
  const plain = recommender.top(user, { limit: 10 });
  const told = recommender.top({ ...user, context: { weather: 'rain', device: 'toaster' } }, { limit: 10 });
  assert.deepEqual(told.items, plain.items);
  assert.deepEqual(recommender.unknownContext({ weather: 'rain', device: 'phone' }), ['weather']);
});

test('an import at one time and a few events since: lists follow tastes', async () => {
  const { below } = seededRandom(7);
  const tastes = 12;
  const events: ShopEvent[] = [];
  for (let user = 0; user < 1200; user++) {
    const own = new Set<string>();
    while (own.size < 5) own.add(`taste${user % tastes}-${below(10)}`);
    while (own.size < 8) own.add(`best${below(10)}`);
    for (const item_id of own) events.push({ user_id: `u${user}`, item_id, ts: START, ...purchase });
  }
  for (let user = 0; user < 6; user++) {
    for (let n = 0; n < 3; n++)
      events.push({ user_id: `u${user}`, item_id: `best${n}`, ts: START + (n + 1) * DAY, ...purchase });
  }
  const trained = await trainOn({ events });
  assert.equal(trained.model.settings.times, 'set');
  const users = Array.from({ length: 60 }, (_, n) => n + 100);
  const found = users.map((user) => {
    const list = idsOf(listOf(trained, `u${user}`, 'discover'));
    return list.slice(0, 5).filter((id) => id.startsWith(`taste${user % tastes}-`)).length;
  });
  const mean = found.reduce((sum, count) => sum + count, 0) / users.length;
  assert.ok(mean >= 2.5, `${mean} of 5`);
});

test('one event a year ahead changes nothing for its user', async () => {
  const parameters = { half_life_days: 10, repeats: 'exclude' } as const;
  const wrong = { user_id: 'u3', item_id: 'i39', ts: START + 1000 * DAY, ...view };
  const right = await trainOn({ events: [...shop(), { ...wrong, ts: START + 46 * DAY }], parameters });
  const ahead = await trainOn({ events: [...shop(), wrong], parameters });
  const orderOf = (trained: Trained) => idsOf(listOf(trained, 'u3', 'discover')).slice(0, 5);
  assert.deepEqual(new Set(orderOf(ahead)), new Set(orderOf(right)));
});

test('a site where most come once still learns what those want who come back', async () => {
  const { next: random, below } = seededRandom(9);
  const events: ShopEvent[] = [];
  const read = (user: string, item: number, day: number) =>
    events.push({ user_id: user, item_id: `i${item}`, ts: START + Math.floor(day * DAY), event_type: 'buy' });
  for (let user = 0; user < 800; user++) {
    for (let day = random() * 8; day < 60; day += 8) read(`member${user}`, (user % 8) * 10 + below(10), day);
  }
  for (let user = 0; user < 12_000; user++) {
    const [day, topic] = [random() * 60, below(8) * 10];
    for (let n = 0; n < 4; n++) read(`guest${user}`, topic + below(10), day + n / 500);
  }
  const trained = await trainOn({ events });
  const { moments } = trained.model;
  assert.ok(moments?.arriving && moments.browsing, JSON.stringify(Object.keys(moments ?? {})));
  assert.equal(trained.metrics!.moment, 'arriving');
  const list = idsOf(listOf(trained, 'member5', 'any')).slice(0, 5);
  assert.ok(list.filter((id) => Math.floor(Number(id.slice(1)) / 10) === 5).length >= 4, list.join());
});

test('a million touches of one user neither stop training nor drown the others', async () => {
  const builder = new EventTableBuilder();
  builder.beginUser();
  for (let n = 0; n < 1_000_000; n++) builder.add(n % 1000, n % 10 === 0 ? 0 : 1, 1, START + n * 1000);
  for (let user = 0; user < 80; user++) {
    builder.beginUser();
    for (let n = 0; n < 12; n++) builder.add((user % 8) * 5 + (n % 5), n % 2, 1, START + n * DAY + user);
  }
  const itemIds = Array.from({ length: 1000 }, (_, n) => `i${n}`);
  const table = builder.finish({ itemIds, typeNames: ['buy', 'view'], targetType: 0 });
  const pool = new KernelPool(1);
  try {
    const { model, metrics } = await fitModel(pool, { events: heldEvents(table) }, {}, new TrainingClock());
    assert.equal(model.warmItemCount, 1000);
    assert.ok(metrics === null || metrics.model.ndcg <= 1);
  } finally {
    await pool.close();
  }
});
