// What a training makes of all events is the same to the last bit, however many parts they are in: in memory, or in files.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { IdTable } from '../../src/base/id-table.ts';
import { seededRandom } from '../../src/base/seeded-random.ts';
import { inCanonicalOrder } from '../../src/dataset/canonical-order.ts';
import { NO_DISLIKES } from '../../src/dataset/dislikes.ts';
import { eventClockMs } from '../../src/dataset/event-clock.ts';
import { eventFacts } from '../../src/dataset/event-facts.ts';
import { type EventTable, EventTableBuilder } from '../../src/dataset/event-table.ts';
import { gatherDislikes } from '../../src/dataset/gather-dislikes.ts';
import { buildAllHistories } from '../../src/dataset/history-blocks.ts';
import { repeatConsumption } from '../../src/dataset/repeat-consumption.ts';
import { gatherUsers, tableOfSample } from '../../src/dataset/sample-users.ts';
import { type EventPart, heldEvents, type TrainingEvents, upToNow } from '../../src/dataset/training-events.ts';
import { popularityValues } from '../../src/experts/popularity.ts';
import { KernelMemory } from '../../src/kernels/kernel-memory.ts';
import { plainRules } from '../../src/training/choose-rules.ts';
import { findOnceItems } from '../../src/training/once-items.ts';
import { planQuestions } from '../../src/training/plan-questions.ts';
import { filedEvents } from '../support/filed-events.ts';

const USERS = 300;
const ITEMS = 40;
const START_MS = 1_700_000_000_000;
const DAY_MS = 86_400_000;

/** Visits, returns, three types, several values, and dislikes; some users have one event. */
async function madeTable(): Promise<EventTable> {
  const { next, below } = seededRandom(11);
  const builder = new EventTableBuilder();
  for (let user = 0; user < USERS; user++) {
    builder.beginUser();
    let ts = START_MS + below(100) * DAY_MS;
    for (let n = 0; n < 1 + below(30); n++) {
      ts += next() < 0.5 ? below(600_000) : below(5 * DAY_MS);
      builder.add(Math.floor(next() ** 2 * ITEMS), below(3), [1, 1, 2.5, 4, -1][below(5)], ts);
    }
  }
  const itemIds = IdTable.from(Array.from({ length: ITEMS }, (_, item) => `i${item}`));
  const names = { itemIds, typeNames: ['buy', 'view', 'cart'], targetType: 0 };
  return (await inCanonicalOrder(builder.finish(names))).table;
}

/** Columns of its own: what is in memory may be changed. */
function copyOf(made: EventTable): EventTable {
  const { dislikes = NO_DISLIKES, ts } = made;
  return { ...made, ts: ts.slice(), dislikes: { ...dislikes, ts: dislikes.ts.slice() } };
}

let folder: string;
let table: EventTable;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-folds-'));
  table = await madeTable();
});
after(() => rm(folder, { recursive: true, force: true }));

/** A list of differences would be as long as the events. JSON has every digit of a number. */
const digestOf = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('hex');

/** Different of every event, whichever part it is in. */
const hiddenOf = ({ length, firstEvent }: EventPart) =>
  Uint8Array.from({ length }, (_, event) => (((firstEvent + event) * 7) % 3 === 0 ? 1 : 0));

/** Every fold by its name. */
const FOLDS: Readonly<Record<string, (events: TrainingEvents) => Promise<unknown>>> = {
  'statistics of types, times and values': eventFacts,
  'events up to now': async (events) => {
    const parts: unknown[] = [];
    for await (const { ts, dislikes } of (await upToNow(events, START_MS + 90 * DAY_MS)).parts())
      parts.push(...ts, ...(dislikes?.ts ?? []));
    return parts.sort();
  },
  'the clock of events': (events) => eventClockMs(events, START_MS + 90 * DAY_MS),
  'returns to items': (events) => repeatConsumption(events, 'times'),
  'items that users take once': (events) => findOnceItems({ events, hiddenOf }),
  'popularity by time': (events) =>
    popularityValues({ events, nowTs: START_MS + 90 * DAY_MS, ordinaryValue: 2, hiddenOf }, [
      null,
      3 * DAY_MS,
      40 * DAY_MS,
    ]),
  'histories of judges': async (events) => {
    const { itemIds, firstUser, firstEvent, ...columns } = (await gatherUsers(events, drawn)) as EventPart;
    return columns;
  },
  'the events of a sample under the numbers that users have among all': async (events) => {
    const { itemIds, ...columns } = await tableOfSample(events, drawn);
    return columns;
  },
  'dislikes of some users': async (events) => {
    const { user, item, ts } = await gatherDislikes(events, new Set(drawn));
    return [[...user], [...item], [...ts]];
  },
  'questions, and what is held out': async (events) => {
    const facts = await eventFacts(events);
    const sample = await tableOfSample(events, drawn);
    const { hiddenOf, ...plan } = await planQuestions({ events, sample, facts }, {}, 5);
    const hidden: number[] = [];
    for await (const part of events.parts()) hidden.push(...hiddenOf(part));
    return { plan, hidden };
  },
  'histories of all users': async (events) => {
    const rules = plainRules(events, {}, 1);
    await using histories = await buildAllHistories(new KernelMemory(), events, rules, { folder, hiddenOf });
    const rows: number[][] = [];
    await histories.each(({ userCount, userOffsets, items, weights }) => {
      for (let user = 0; user < userCount; user++) {
        const [from, to] = [userOffsets[user], userOffsets[user + 1]];
        rows.push([...items.subarray(from, to), ...weights.subarray(from, to)]);
      }
    });
    return { rows, degrees: histories.degrees, pairs: histories.pairs, longest: histories.longest };
  },
};
const drawn = Uint32Array.from({ length: USERS / 3 }, (_, n) => 3 * n);

const inMemory = new Map<string, string>();

for (const partUsers of [1, 7, 100, USERS]) {
  describe(`by parts of ${partUsers} users in files as in memory`, () => {
    let filed: Awaited<ReturnType<typeof filedEvents>>;
    before(async () => {
      filed = await filedEvents(table, partUsers, folder);
    });
    after(() => filed[Symbol.asyncDispose]());

    for (const [name, fold] of Object.entries(FOLDS)) {
      test(name, async () => {
        const expected = inMemory.get(name) ?? digestOf(await fold(heldEvents(copyOf(table))));
        inMemory.set(name, expected);
        assert.equal(digestOf(await fold(filed.events)), expected);
      });
    }
  });
}

test('the dislikes of some users are theirs, under their own numbers', async () => {
  const { user, item, ts } = await gatherDislikes(heldEvents(table), new Set(drawn));
  const all = table.dislikes!;
  const own = [...all.user.keys()].filter((n) => all.user[n] % 3 === 0);
  assert.ok(own.length > 100);
  assert.deepEqual(
    [...user],
    own.map((n) => all.user[n]),
  );
  assert.deepEqual(
    [...item],
    own.map((n) => all.item[n]),
  );
  assert.deepEqual(
    [...ts],
    own.map((n) => all.ts[n]),
  );
});

test('times in the future are now, unless most are', async () => {
  const timesOf = async (nowMs: number) => {
    await using filed = await filedEvents(table, 7, folder);
    const times: number[] = [];
    for await (const { ts } of (await upToNow(filed.events, nowMs)).parts()) times.push(...ts);
    return times;
  };
  const given = [...table.ts];
  const late = START_MS + 90 * DAY_MS;
  assert.ok(given.some((ts) => ts > late));
  assert.deepEqual(
    await timesOf(late),
    given.map((ts) => Math.min(ts, late)),
  );
  assert.deepEqual(await timesOf(START_MS), given, 'another clock');
});

test('a clock of events that is hours ahead is the clock, and a few wrong times are not', async () => {
  await using filed = await filedEvents(table, 7, folder);
  const late = START_MS + 90 * DAY_MS;
  const ahead = [...table.ts].filter((ts) => ts > late && ts <= late + DAY_MS);
  assert.ok(ahead.length > 10);
  assert.equal(await eventClockMs(filed.events, late), Math.max(...ahead));
  const newest = Math.max(...table.ts);
  assert.equal(await eventClockMs(filed.events, newest), newest, 'none is ahead');
  assert.equal(await eventClockMs(filed.events, newest + DAY_MS / 2), newest + DAY_MS / 2);
  const one = heldEvents({ ...table, ts: table.ts.map((_, event) => (event === 0 ? late + 1000 : late - event)) });
  assert.equal(await eventClockMs(one, late), late, 'one of all events of the last day');
});

test('statistics and popularity are what plain sums give', async () => {
  await using filed = await filedEvents(table, 50, folder);
  const { events } = filed;
  const all = Array.from({ length: table.length }, (_, event) => event);
  const { typeCounts, newestTs, oldestTs, valueLevels, typesSeen, ordinaryValue } = await eventFacts(events);
  assert.deepEqual(
    typeCounts,
    table.typeNames.map((_, type) => all.filter((event) => table.type[event] === type).length),
  );
  assert.deepEqual(typesSeen, [...new Set(table.type)]);
  assert.deepEqual([oldestTs, newestTs], [Math.min(...table.ts), Math.max(...table.ts)]);
  assert.equal(valueLevels, new Set(table.value.filter((_, n) => table.type[n] === table.targetType)).size);
  const [popularity] = await popularityValues({ events, nowTs: newestTs, ordinaryValue, hiddenOf: null }, [null]);
  const expected = new Float32Array(ITEMS);
  for (let user = 0; user < table.userCount; user++) {
    const values = new Map<number, number[]>();
    for (let event = table.userOffsets[user]; event < table.userOffsets[user + 1]; event++) {
      if (table.type[event] !== table.targetType || !(table.value[event] > 0)) continue;
      values.set(table.item[event], [...(values.get(table.item[event]) ?? []), table.value[event]]);
    }
    for (const [item, own] of values) {
      const mean = own.reduce((sum, value) => sum + value) / own.length;
      expected[item] += 1 + (0.25 * (mean - ordinaryValue)) / (mean + ordinaryValue);
    }
  }
  for (const [item, value] of expected.entries()) assert.ok(Math.abs(popularity[item] - value) < 1e-4);
});

test('popularity counts people: who buys again counts once, larger values count a little more', async () => {
  const builder = new EventTableBuilder();
  const bought = [[0, 0, 0, 0], [0, 0], [1], [1], [1]];
  for (const items of bought) {
    builder.beginUser();
    for (const [n, item] of items.entries()) builder.add(item, 0, 1, START_MS + n * DAY_MS);
  }
  for (const value of [5, 1, 0, -3]) {
    builder.beginUser();
    builder.add(value === 5 ? 2 : value === 1 ? 3 : 4, 0, value, START_MS);
  }
  const itemIds = ['often', 'many', 'dear', 'cheap', 'disliked'];
  const made = heldEvents(builder.finish({ itemIds, typeNames: ['buy'], targetType: 0 }));
  const about = { events: made, nowTs: START_MS, ordinaryValue: 1, hiddenOf: null };
  const [[often, many, dear, cheap, disliked]] = await popularityValues(about, [null]);
  assert.deepEqual([often, many, cheap, disliked], [2, 3, 1, 0]);
  assert.ok(dear > cheap && dear < 1.25);
});

test('values beyond what can be counted with are as large as the largest that can', async () => {
  const builder = new EventTableBuilder();
  for (const value of [1e39, 1e6]) {
    builder.beginUser();
    builder.add(value > 1e6 ? 0 : 1, 0, value, START_MS);
  }
  const made = heldEvents(builder.finish({ itemIds: ['beyond', 'largest'], typeNames: ['buy'], targetType: 0 }));
  const { ordinaryValue } = await eventFacts(made);
  const about = { events: made, nowTs: START_MS, ordinaryValue, hiddenOf: null };
  const [[beyond, largest]] = await popularityValues(about, [null]);
  assert.ok(beyond > 0 && beyond === largest, `${beyond} and ${largest}`);
});

test('what is held for the sample is the same as for the part that its users are in', async () => {
  const events = heldEvents(table);
  const facts = await eventFacts(events);
  const sample = await tableOfSample(events, drawn);
  const { hidden, hiddenOf } = await planQuestions({ events, sample, facts }, {}, 5);
  const ofAll = hiddenOf(events.held!);
  for (const user of drawn) {
    const own = hidden.subarray(sample.userOffsets[user], sample.userOffsets[user + 1]);
    assert.deepEqual(own, ofAll.subarray(table.userOffsets[user], table.userOffsets[user + 1]));
  }
  assert.ok(hidden.includes(1));
});
