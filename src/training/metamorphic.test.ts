// Compares two trainings instead of expecting fixed lists: changes of the data that must not change lists do not, and
// others change them as they must.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Trained, trainOn } from '../../test/support/train-on.ts';
import type { Expert } from '../artifact/g1-model.ts';
import { DAY_MS } from '../base/durations.ts';
import { seededRandom } from '../base/seeded-random.ts';
import { EventTableBuilder } from '../dataset/event-table.ts';
import { heldEvents } from '../dataset/training-events.ts';
import {
  type AlgorithmParameters,
  TRANSITION_VARIANTS,
  type TransitionVariant,
} from '../domain/algorithm-parameters.ts';
import type { EntityRecord } from '../domain/record.ts';
import { TRANSITION_SHAPES } from '../experts/transitions.ts';
import { KernelPool } from '../kernels/kernel-pool.ts';
import { createScorer } from '../scoring/create-scorer.ts';
import { G1Recommender } from '../scoring/g1-recommender.ts';
import { fitModel } from './fit-model.ts';
import { TrainingClock } from './training-clock.ts';

const USERS = 60;
const ITEMS = 24;
const EVENTS = 9;
const TASTES = 3;
const LIMIT = 8;
const START = 1_700_000_000_000;

interface Bought {
  event_id: string;
  user_id: string;
  item_id: string;
  ts: number;
}

/** Users of three tastes; no two events at the same time. */
function events(): Bought[] {
  const { next: random } = seededRandom(11);
  return Array.from({ length: USERS * EVENTS }, (_, n) => {
    const [user, turn] = [n % USERS, Math.floor(n / USERS)];
    const taste = random() < 0.85 ? user % TASTES : Math.floor(random() * TASTES);
    const item = taste + TASTES * Math.floor(random() ** 1.5 * (ITEMS / TASTES));
    return { event_id: `e${n}`, user_id: `u${user}`, item_id: `i${item}`, ts: START + turn * DAY_MS + user * 60_000 };
  });
}

const ITEM_RECORDS: EntityRecord[] = Array.from({ length: ITEMS }, (_, n) => ({
  id: `i${n}`,
  attributes: { shelf: n % 2 === 0 ? 'even' : 'odd' },
}));

function listOf(trained: Trained, userId: string, allow: string | null = null, limit = LIMIT): string[] {
  const set = allow === null ? null : trained.catalog.itemsWith('shelf', allow);
  const user = { history: trained.historyOf(userId), attributes: {} };
  return trained.recommender.top(user, { limit, allow: set }).items.map(({ item_id }) => item_id);
}

const allLists = (trained: Trained, rename = (id: string) => id): string[][] =>
  Array.from({ length: USERS }, (_, n) => listOf(trained, rename(`u${n}`)));

/** The experts and scoring of a model that was fitted with this many threads. */
async function fitWith(threads: number) {
  const pool = new KernelPool(threads);
  try {
    const builder = new EventTableBuilder();
    for (const bought of Map.groupBy(events(), ({ user_id }) => user_id).values()) {
      builder.beginUser();
      for (const { item_id, ts } of bought) builder.add(Number(item_id.slice(1)), 0, 1, ts);
    }
    const itemIds = Array.from({ length: ITEMS }, (_, n) => `i${n}`);
    const table = builder.finish({ itemIds, typeNames: ['buy'], targetType: 0 });
    const { model } = await fitModel(pool, { events: heldEvents(table) }, {}, new TrainingClock());
    const { experts, blend, moments, vectors } = model;
    return structuredClone({ experts, blend, moments, vectors });
  } finally {
    await pool.close();
  }
}

let first: Trained;
before(async () => {
  first = await trainOn({ events: events(), items: ITEM_RECORDS });
});

test('the same events give the same lists again', async () => {
  const again = await trainOn({ events: events(), items: ITEM_RECORDS });
  assert.deepEqual(allLists(again), allLists(first));
});

/** Everything that was learned, without ids and durations. */
function learned({ model }: Trained) {
  const { itemIds: _, recordlessItems: __, ...rest } = model;
  return structuredClone(rest);
}

const idsOf = ({ model: { itemIds } }: Trained) =>
  Array.from({ length: itemIds.length }, (_, item) => itemIds.at(item));

test('other ids of users and items give the same model, and the same lists under the other ids', async () => {
  const renameUser = (id: string) => `customer ${(Number(id.slice(1)) * 7919) % 1009}`;
  const renameItem = (id: string) => `item/${Number(id.slice(1)) * 7919}`;
  const renamed = await trainOn({
    events: events().map((event) => ({
      ...event,
      user_id: renameUser(event.user_id),
      item_id: renameItem(event.item_id),
    })),
    items: ITEM_RECORDS.map((item) => ({ ...item, id: renameItem(item.id) })),
  });
  assert.deepEqual(learned(renamed), learned(first));
  assert.deepEqual(
    allLists(renamed, renameUser),
    allLists(first).map((list) => list.map(renameItem)),
  );
});

for (const seed of [2, 3]) {
  test(`events written in another order give the same model and the same lists (shuffle ${seed})`, async () => {
    const { next: random } = seededRandom(seed);
    const shuffled = events()
      .map((event) => ({ event, at: random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ event }) => event);
    const reordered = await trainOn({ events: shuffled, items: ITEM_RECORDS });
    assert.deepEqual(learned(reordered), learned(first));
    assert.deepEqual(idsOf(reordered), idsOf(first));
    assert.deepEqual(allLists(reordered), allLists(first));
  });
}

test('two threads give the same model as one', async () => {
  const [one, two] = await Promise.all([1, 2].map(fitWith));
  assert.deepEqual(two, one);
});

test('an item that nobody touches changes no list above it', async () => {
  const items = [...ITEM_RECORDS, { id: 'new', attributes: {} }];
  const lists = allLists(await trainOn({ events: events(), items }));
  for (const [user, list] of lists.entries()) {
    const others = list.filter((id) => id !== 'new');
    assert.deepEqual(others, allLists(first)[user].slice(0, others.length), `the list of u${user}`);
  }
});

/**
 * Settings of experts, so that none is chosen. Low rank is left out: what it keeps beyond the few clear directions of taste comes from
 * its start, which is drawn by the numbers of items, and these change with the events.
 */
const GIVEN: AlgorithmParameters = {
  experts: ['walk', 'transitions', 'local_ridge', 'popularity'],
  walk: { gamma: 1, beta: 0.5, delta: 0.25, rho: 0.4 },
  transitions: { variants: [...TRANSITION_VARIANTS] },
  local_ridge: { neighbours: ITEMS, lambda: 2, gamma: 0.5, rho: 0.4 },
  popularity: { half_life_days: 2 },
  repeats: 'exclude',
};

/**
 * The factor by which an expert's values grow when every count doubles. Each count that they are divided by reduces it.
 */
function growth({ settings }: Expert): number {
  if (settings.family === 'walk') return 2 ** (1 - Number(settings.beta) - Number(settings.delta));
  if (settings.family !== 'transitions') return 1;
  const { power, delta } = TRANSITION_SHAPES[settings.variant as TransitionVariant];
  return 2 ** (1 - power - delta);
}

/** Item ids → value: of pairs, or of single items. */
function valuesOf(trained: Trained, expert: Expert): Map<string, number> {
  const ids = idsOf(trained);
  if (expert.kind === 'popularity') return new Map(Array.from(expert.values, (value, n) => [`${ids[n]}`, value]));
  const { offsets, columns, values } = expert.rows;
  return new Map(
    ids.flatMap((id, row) =>
      Array.from(values.subarray(offsets[row], offsets[row + 1]), (value, n): [string, number] => [
        `${id} → ${ids[columns[offsets[row] + n]]}`,
        value,
      ]),
    ),
  );
}

/** The number of questions asked. */
function askedOf({ model }: Trained): number {
  const [{ questions }] = (model.settings as { moments: { questions: Record<string, number> }[] }).moments;
  return questions.fit + questions.choose + questions.report;
}

test('with every user twice, experts find the same and lists do not change, as long as the blend is the same', async () => {
  const copies = events().map((event) => ({ ...event, event_id: `${event.event_id}c`, user_id: `${event.user_id}c` }));
  const once = await trainOn({ events: events(), items: ITEM_RECORDS, parameters: GIVEN });
  const twice = await trainOn({ events: [...events(), ...copies], items: ITEM_RECORDS, parameters: GIVEN });
  assert.equal(askedOf(twice), 2 * askedOf(once));
  assert.deepEqual(twice.model.repeats, once.model.repeats);
  assert.deepEqual(twice.model.objectives, once.model.objectives);
  const sameOf = (expert: Expert) => twice.model.experts.find(({ name }) => name === expert.name)!;
  for (const expert of once.model.experts) {
    const [before, after] = [valuesOf(once, expert), valuesOf(twice, sameOf(expert))];
    assert.deepEqual([...after.keys()].sort(), [...before.keys()].sort(), expert.name);
    for (const [at, value] of before) {
      const expected = value * growth(expert);
      const difference = Math.abs(after.get(at)! - expected);
      assert.ok(
        difference <= 1e-5 * Math.abs(expected) + 1e-7,
        `${expert.name}, ${at}: ${after.get(at)}, not ${expected}`,
      );
    }
  }
  // The chosen blend may differ: with more questions smaller gains are certain, and which questions are drawn depends
  // on the users' numbers.
  const { blend, moments } = once.model;
  const model = { ...twice.model, blend, moments, experts: once.model.experts.map(sameOf) };
  const recommender = new G1Recommender(model, twice.catalog, createScorer);
  await recommender.settle();
  assert.deepEqual(allLists({ ...twice, recommender }), allLists(once));
});

test('a filtered list is the whole ranking without what the filter leaves out', () => {
  for (let user = 0; user < USERS; user++) {
    const whole = listOf(first, `u${user}`, null, ITEMS);
    for (const shelf of ['even', 'odd']) {
      const isOn = (id: string) => (Number(id.slice(1)) % 2 === 0) === (shelf === 'even');
      assert.deepEqual(listOf(first, `u${user}`, shelf, ITEMS), whole.filter(isOn), `u${user}, shelf ${shelf}`);
    }
  }
});

test('a shorter list is the beginning of a longer one', () => {
  for (let user = 0; user < USERS; user++) {
    const whole = listOf(first, `u${user}`, null, ITEMS);
    assert.deepEqual(listOf(first, `u${user}`, null, 3), whole.slice(0, 3));
  }
});
