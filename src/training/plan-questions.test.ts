// Tests how long the held-out time is: not much longer than users stay away, if enough of them come back in it. Also
// tests which moments there are.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../base/durations.ts';
import { seededRandom } from '../base/seeded-random.ts';
import { eventFacts } from '../dataset/event-facts.ts';
import { EventTableBuilder } from '../dataset/event-table.ts';
import { tableOfSample } from '../dataset/sample-users.ts';
import { heldEvents } from '../dataset/training-events.ts';
import type { AlgorithmParameters } from '../domain/algorithm-parameters.ts';
import { planQuestions } from './plan-questions.ts';

const START = 1_700_000_000_000;
const DAYS = 300;
const FIFTH_DAYS = DAYS / 5;

interface Shop {
  readonly users: number;
  /** days from one purchase of a user to the next */
  readonly daysBetween: number;
}

/** Days from the first event that is held out to the newest event. */
async function heldOutDays({ users, daysBetween }: Shop, parameters: AlgorithmParameters = {}): Promise<number> {
  const { next: random } = seededRandom(3);
  const builder = new EventTableBuilder();
  for (let user = 0; user < users; user++) {
    builder.beginUser();
    const first = random() * daysBetween;
    for (let day = first; day < DAYS; day += daysBetween)
      builder.add(Math.floor(random() * 50), 0, 1, START + day * DAY_MS);
  }
  const itemIds = Array.from({ length: 50 }, (_, item) => `i${item}`);
  const table = builder.finish({ itemIds, typeNames: ['buy'], targetType: 0 });
  const events = heldEvents(table);
  const sample = await tableOfSample(events, undefined);
  const { hidden } = await planQuestions({ events, sample, facts: await eventFacts(events) }, parameters, 1);
  const heldTs = [...sample.ts].filter((_, event) => hidden[event] === 1);
  const least = (a: number, b: number) => Math.min(a, b);
  return (sample.ts.reduce((a, b) => Math.max(a, b)) - heldTs.reduce(least)) / DAY_MS;
}

const isAbout = (days: number, expected: number): void =>
  assert.ok(Math.abs(days - expected) < 1.5, `${days.toFixed(1)} days, not about ${expected}`);

test('the time held out is that in which three of four users come back', async () => {
  isAbout(await heldOutDays({ users: 2000, daysBetween: 20 }), 15);
});

test('it is a week where users come back every day', async () => {
  isAbout(await heldOutDays({ users: 2000, daysBetween: 1.5 }), 7);
});

test('it is no shorter than brings back 500 users', async () => {
  isAbout(await heldOutDays({ users: 600, daysBetween: 40 }), (40 * 500) / 600);
});

test('it is a fifth of the events where fewer users come back, and for what users do later', async () => {
  isAbout(await heldOutDays({ users: 450, daysBetween: 20 }), FIFTH_DAYS);
  isAbout(await heldOutDays({ users: 2000, daysBetween: 20 }, { horizon: 'later' }), FIFTH_DAYS);
});

/** Members read one article on each of some days; guests come once, on any day, and read four. */
async function momentsOf({ members, guests }: { members: number; guests: number }) {
  const { next: random } = seededRandom(5);
  const builder = new EventTableBuilder();
  const read = (day: number) => builder.add(Math.floor(random() * 50), 0, 1, START + day * DAY_MS);
  for (let user = 0; user < members; user++) {
    builder.beginUser();
    for (let day = random() * 10; day < 60; day += 10) read(day);
  }
  for (let user = 0; user < guests; user++) {
    builder.beginUser();
    const day = random() * 60;
    for (let n = 0; n < 4; n++) read(day + n / 1000);
  }
  const itemIds = Array.from({ length: 50 }, (_, item) => `i${item}`);
  const events = heldEvents(builder.finish({ itemIds, typeNames: ['read'], targetType: 0 }));
  const sample = await tableOfSample(events, undefined);
  const { moments } = await planQuestions({ events, sample, facts: await eventFacts(events) }, {}, 1);
  return moments.map(({ moment }) => moment);
}

test('users who come back are asked when they arrive, however many come once', async () => {
  assert.deepEqual(await momentsOf({ members: 800, guests: 15_000 }), ['arriving', 'browsing']);
});

test('where hardly anyone comes back, users only browse', async () => {
  assert.deepEqual(await momentsOf({ members: 150, guests: 15_000 }), ['browsing']);
});

/** On one day each user reads ten articles, half an hour apart; some were there two days before. Returns the share that is held out. */
async function heldOutOfOneDay(users: number, returning: number): Promise<number> {
  const { next: random } = seededRandom(7);
  const builder = new EventTableBuilder();
  for (let user = 0; user < users; user++) {
    builder.beginUser();
    for (const day of user < returning ? [0, 2] : [2]) {
      for (let n = 0; n < 10; n++)
        builder.add(Math.floor(random() * 50), 0, 1, START + day * DAY_MS + n * 1_800_000 + user);
    }
  }
  const itemIds = Array.from({ length: 50 }, (_, item) => `i${item}`);
  const events = heldEvents(builder.finish({ itemIds, typeNames: ['read'], targetType: 0 }));
  const sample = await tableOfSample(events, undefined);
  const { hidden } = await planQuestions({ events, sample, facts: await eventFacts(events) }, {}, 1);
  return hidden.reduce((sum, one) => sum + one, 0) / hidden.length;
}

test('where all visits last until the newest events, most of each is left to fit on', async () => {
  for (const [users, returning] of [
    [160, 0],
    [2000, 12],
    [10_000, 450],
  ]) {
    const share = await heldOutOfOneDay(users, returning);
    assert.ok(share > 0.1 && share < 0.4, `${share} of the events of ${users} users, ${returning} of whom came back`);
  }
});
