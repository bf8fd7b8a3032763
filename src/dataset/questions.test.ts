import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventTableBuilder } from './event-table.ts';
import { type HoldOutRules, holdOut, type QuestionKind } from './questions.ts';
import { repeatConsumption } from './repeat-consumption.ts';
import { heldEvents } from './training-events.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = 1_700_000_000_000;

/** "buy a 3": what one user did with an item, in hours from the start. */
function tableOf(...users: (readonly string[])[]) {
  const items: string[] = [];
  const builder = new EventTableBuilder();
  for (const lines of users) {
    builder.beginUser();
    for (const line of lines) {
      const [type, item, hours] = line.split(' ');
      if (!items.includes(item)) items.push(item);
      builder.add(items.indexOf(item), ['buy', 'view'].indexOf(type), 1, START + Number(hours) * HOUR);
    }
  }
  return builder.finish({ itemIds: items, typeNames: ['buy', 'view'], targetType: 0 });
}

function ask(lines: readonly string[], kind: QuestionKind, rules: Partial<HoldOutRules> = {}) {
  const table = tableOf(lines);
  const held = holdOut(table, {
    objective: 'discover',
    kinds: [kind],
    gapMs: 30 * MINUTE,
    cutTs: null,
    seed: 1,
    ...rules,
  });
  const idsOf = (numbers: readonly number[]) => numbers.map((item) => table.itemIds.at(item));
  const questions = held.questions[kind].map(({ end, targets }) => ({ end, targets: idsOf(targets) }));
  return { questions, visible: held.hidden.filter((hidden) => hidden === 0).length };
}

test('a purchase is predicted from before the visit in which the item first appears, without its own view', () => {
  const { questions, visible } = ask(['buy a 0', 'view b 5', 'view c 5.1', 'view b 9', 'buy b 9.2'], 'arriving');
  assert.deepEqual(questions, [{ end: 1, targets: ['b'] }]);
  assert.equal(visible, 1, 'everything from that visit on is hidden');
});

test('one target item suffices where there is history before it, and without history nothing is asked', () => {
  assert.deepEqual(ask(['view a 0', 'view b 5', 'buy b 5.1'], 'arriving').questions, [{ end: 1, targets: ['b'] }]);
  assert.deepEqual(ask(['view b 5', 'buy b 5.1'], 'arriving').questions, []);
});

test('on arriving, all later purchases are predicted together; a touched item is nothing to discover', () => {
  const lines = [
    'buy a 0',
    'view x 1',
    ...[2, 3, 4, 5, 6, 7, 8].map((hour) => `buy i${hour} ${hour}`),
    'buy x 8',
    'buy b 9',
  ];
  const { questions } = ask(lines, 'arriving');
  assert.deepEqual(questions, [{ end: 8, targets: ['i8', 'b'] }]);
});

test('with real times, everything after one date is held out and predicted from all before it', () => {
  const cutTs = START + 6 * HOUR;
  const lines = ['buy a 0', 'view b 5.9', 'view c 6.1', 'view d 8', 'buy d 9', 'buy b 9.1', 'buy a 9.2'];
  const { questions, visible } = ask(lines, 'arriving', { cutTs });
  assert.deepEqual(
    questions,
    [{ end: 1, targets: ['d', 'b'] }],
    'the visit that lasts beyond the date is held out whole',
  );
  assert.equal(visible, 1);
  assert.deepEqual(ask(lines, 'browsing', { cutTs }).questions, [], 'no item was first touched inside a later visit');
  const silent = ask(['buy a 0', 'buy b 1', 'view c 7'], 'arriving', { cutTs });
  assert.deepEqual(silent, { questions: [], visible: 2 }, 'who took nothing is not asked, and hidden all the same');
});

test('with few questions after the date, the newest visits before it of other users are questions too, and marked', () => {
  const table = tableOf(['buy a 0', 'buy b 7'], ['buy a 0', 'buy c 3', 'buy d 5'], ['buy a 0', 'view b 7']);
  const rules = { objective: 'discover', kinds: ['arriving'], gapMs: 30 * MINUTE, seed: 1 } as const;
  const { questions, hidden } = holdOut(table, { ...rules, cutTs: START + 6 * HOUR, asksEarlier: true });
  assert.deepEqual(questions.arriving, [
    { user: 0, end: 1, targets: [1] },
    { user: 1, end: 4, targets: [3], isEarlier: true },
  ]);
  assert.deepEqual([...hidden], [0, 1, 0, 0, 1, 0, 1]);
});

test('while browsing, the next item is predicted from what came before it in the visit', () => {
  const lines = ['buy a 0', 'view c 5', 'view b 5.1', 'view c 5.2', 'buy b 5.3'];
  assert.deepEqual(ask(lines, 'browsing').questions, [{ end: 2, targets: ['b'] }]);
  assert.deepEqual(ask(['buy a 0', 'buy b 5'], 'browsing').questions, [], 'the first event of a visit is no browsing');
});

test('events of equal time are a set: none of them is in the history of another', () => {
  const invoice = ['buy a 0', 'buy b 5', 'buy c 5', 'buy d 5'];
  assert.deepEqual(ask(invoice, 'arriving').questions, [{ end: 1, targets: ['b', 'c', 'd'] }]);
  assert.deepEqual(ask(invoice, 'next').questions, [{ end: 1, targets: ['d'] }]);
});

test('the times of a long visit are read a few times each', () => {
  const count = 2000;
  const table = tableOf(['buy a 0', ...Array.from({ length: count }, (_, n) => `buy i${n} ${5 + n / 1e4}`)]);
  for (const from of [0, 1]) {
    let reads = 0;
    const get = (ts: Float64Array, key: string | symbol) => {
      reads++;
      return Reflect.get(ts, key);
    };
    const ts = new Proxy(table.ts, { get });
    const userOffsets = Uint32Array.of(from, table.length);
    const rules = { objective: 'discover', gapMs: 30 * MINUTE, cutTs: null, seed: 1 } as const;
    const { asked } = holdOut({ ...table, ts, userOffsets }, { ...rules, kinds: ['arriving', 'browsing'] });
    assert.deepEqual(asked, { arriving: from === 0 ? 1 : 0, browsing: 3, next: 0, fifth: 0 });
    assert.ok(reads < 30 * count, `${reads} reads`);
  }
});

test('up to three of the last items are predicted one by one, and up to a fifth of them all', () => {
  const asked = (count: number) =>
    ask(
      Array.from({ length: count }, (_, n) => `buy i${n} ${n}`),
      'next',
      { gapMs: 0 },
    ).questions.map(({ targets }) => targets[0]);
  assert.deepEqual(asked(4), ['i3']);
  assert.deepEqual(asked(10), ['i8', 'i9']);
  assert.deepEqual(asked(30), ['i27', 'i28', 'i29']);
});

test('where users return to items, earlier purchases are predicted too', () => {
  const { questions } = ask(['buy coffee 0', 'buy coffee 50', 'buy coffee 100'], 'arriving', { objective: 'any' });
  assert.deepEqual(questions, [{ end: 2, targets: ['coffee'] }]);
});

test('a random fifth does not depend on the order of the events', () => {
  const lines = Array.from({ length: 10 }, (_, n) => `buy i${n} 0`);
  const one = ask(lines, 'fifth').questions[0].targets;
  assert.equal(one.length, 2);
  // Items are numbered as they come: the same numbers are chosen, whatever their order.
  const table = tableOf(lines);
  const turned = { ...table, item: table.item.toReversed() };
  const { questions } = holdOut(turned, { objective: 'discover', kinds: ['fifth'], gapMs: 0, cutTs: null, seed: 1 });
  assert.deepEqual(questions.fifth[0].targets.map((item) => table.itemIds.at(item)).sort(), one.sort());
});

test('repeat consumption counts purchases on different days only', async () => {
  const repeats = (...users: string[][]) => repeatConsumption(heldEvents(tableOf(...users)), 'times');
  const views = ['buy a 0', 'view a 30', 'view a 60', 'buy a 1', 'buy a 23'];
  assert.deepEqual(await repeats(views), { share: 0, returns: 0, genuine: false });
  const coffee = Array.from({ length: 60 }, () => ['buy a 0', 'buy b 1', 'buy a 100', 'buy a 300']);
  const { share, returns, genuine } = await repeats(...coffee);
  assert.deepEqual([share, returns, genuine], [0.5, 120, true]);
  assert.equal((await repeats(...coffee.slice(0, 10))).genuine, false, 'too few returns');
});

test('one account that comes back thousands of times makes no repeat consumption', async () => {
  const people = Array.from({ length: 150 }, (_, user) =>
    Array.from({ length: 4 }, (_, n) => `buy i${user + n} ${n * 50}`),
  );
  const crawler = Array.from({ length: 30 * 100 }, (_, n) => `buy i${n % 100} ${Math.floor(n / 100) * 24}`);
  const { share, genuine } = await repeatConsumption(heldEvents(tableOf(...people, crawler)), 'times');
  assert.equal(genuine, false);
  assert.ok(share < 0.15, `${share}`);
});
