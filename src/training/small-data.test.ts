// Twenty users with ten events each: hardly enough to learn from. Over many made data sets, some with tastes and some without, lists
// must be no worse than what is popular, judged by the chances that the events were truly drawn from.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../base/durations.ts';
import { seededRandom } from '../base/seeded-random.ts';
import { type EventTable, EventTableBuilder } from '../dataset/event-table.ts';
import { heldEvents } from '../dataset/training-events.ts';
import type { TimeScale } from '../history/visits.ts';
import { KernelPool } from '../kernels/kernel-pool.ts';
import { createScorer } from '../scoring/create-scorer.ts';
import { fitModel } from './fit-model.ts';
import { TrainingClock } from './training-clock.ts';

const USERS = 20;
const EVENTS = 10;
const ITEMS = 60;
const TASTES = 3;
const DATA_SETS = 30;
const LIMIT = 10;
const START = 1_700_000_000_000;

interface World {
  readonly table: EventTable;
  /** chance that a user takes an item next */
  readonly chance: (user: number, item: number) => number;
  readonly histories: readonly (readonly number[])[];
}

/** `taste`: how often a user takes an item of its own taste; else any item, the popular ones more often. */
function makeWorld(seed: number, taste: number, scale: TimeScale): World {
  const { next: random } = seededRandom(seed);
  // Numbers say nothing of how popular an item is, so equal counts are a toss-up for all.
  const popularity = Array.from({ length: ITEMS }, (_, item) => 1 / (((item * 23 + seed) % ITEMS) + 2));
  const chances = (weights: readonly number[]) => {
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    return weights.map((weight) => weight / total);
  };
  const tasteOf = (item: number) => item % TASTES;
  const all = chances(popularity);
  const own = Array.from({ length: TASTES }, (_, t) =>
    chances(popularity.map((w, item) => (tasteOf(item) === t ? w : 0))),
  );
  const chance = (user: number, item: number) => taste * own[user % TASTES][item] + (1 - taste) * all[item];
  const builder = new EventTableBuilder();
  const histories: number[][] = [];
  for (let user = 0; user < USERS; user++) {
    builder.beginUser();
    const history: number[] = [];
    for (let n = 0; n < EVENTS; n++) {
      let item = 0;
      for (let rest = random() - chance(user, 0); rest > 0 && item < ITEMS - 1; rest -= chance(user, item)) item++;
      history.push(item);
      builder.add(item, 0, 1, timeOf(scale, n + random()));
    }
    histories.push(history);
  }
  const itemIds = Array.from({ length: ITEMS }, (_, item) => `i${item}`);
  return { table: builder.finish({ itemIds, typeNames: ['buy'], targetType: 0 }), chance, histories };
}

function timeOf(scale: TimeScale, days: number): number {
  if (scale === 'set') return START;
  return scale === 'order' ? Math.floor(days) : START + days * DAY_MS;
}

/** The chance that the user takes each item of the list next, weighted so that higher positions count more. */
function worth(world: World, user: number, list: readonly number[]): number {
  return list.reduce((sum, item, place) => sum + world.chance(user, item) / Math.log2(place + 2), 0);
}

async function gains(world: World): Promise<{ own: number; popular: number }> {
  const pool = new KernelPool(1);
  const { model } = await fitModel(pool, { events: heldEvents(world.table) }, {}, new TrainingClock());
  await pool.close();
  const scorer = createScorer(model);
  const counts = new Float64Array(ITEMS);
  for (const history of world.histories) for (const item of new Set(history)) counts[item]++;
  const sums = { own: 0, popular: 0 };
  for (const [user, events] of world.histories.entries()) {
    const history = [...new Set(events.toReversed())];
    const [items, scores] = [new Uint32Array(LIMIT), new Float32Array(LIMIT)];
    const signal = {
      length: history.length,
      items: Uint32Array.from(history),
      weights: new Float32Array(history.length).fill(1),
      seen: new Uint8Array(history.length).fill(1),
    };
    const options = { moment: 'arriving', allow: null } as const;
    const found = scorer.top(signal, LIMIT, options, { items, scores });
    sums.own += worth(world, user, [...items.subarray(0, found)]);
    const popular = [...counts.keys()].filter((item) => !history.includes(item)).sort((a, b) => counts[b] - counts[a]);
    sums.popular += worth(world, user, popular.slice(0, LIMIT));
  }
  return { own: sums.own / USERS, popular: sums.popular / USERS };
}

for (const { taste, scale, what } of [
  { taste: 0, scale: 'times', what: 'without tastes, with times' },
  { taste: 0, scale: 'order', what: 'without tastes, in order' },
  { taste: 0, scale: 'set', what: 'without tastes, without order' },
  { taste: 0.4, scale: 'times', what: 'with weak tastes' },
  { taste: 0.4, scale: 'set', what: 'with weak tastes, without order' },
  { taste: 0.9, scale: 'times', what: 'with strong tastes' },
] as const) {
  test(`over ${DATA_SETS} small data sets ${what}, lists are no worse than what is popular`, async () => {
    const differences: number[] = [];
    let popular = 0;
    for (let seed = 1; seed <= DATA_SETS; seed++) {
      const found = await gains(makeWorld(seed, taste, scale));
      differences.push(found.own - found.popular);
      popular += found.popular / DATA_SETS;
    }
    const mean = differences.reduce((sum, difference) => sum + difference, 0) / DATA_SETS;
    const variance = differences.reduce((sum, difference) => sum + (difference - mean) ** 2, 0) / (DATA_SETS - 1);
    const error = Math.sqrt(variance / DATA_SETS);
    assert.ok(mean >= -2 * error, `${mean} ± ${error} beside ${popular}`);
  });
}
