import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR_MS } from '../../src/base/durations.ts';
import { holdOutLast, holdOutTime, type LoggedEvent } from './hold-out.ts';

/** "anna view a 0": what anna did with a in hour 0. */
function log(...lines: string[]): LoggedEvent[] {
  return lines.map((line) => {
    const [user, type, item, hour] = line.split(' ');
    return { user, type, item, ts: Number(hour) * HOUR_MS, value: 1 };
  });
}

test('the last days are asked of users who were there before, by what was new to them and what was not', () => {
  const events = log(
    'anna buy a 0',
    'anna view b 1',
    'ben buy a 30',
    'anna buy a 30',
    'anna buy b 31',
    'anna buy c 32',
  );
  const { train, questions } = holdOutTime(events, 'buy', 1);
  assert.equal(train.length, 2);
  assert.deepEqual(questions, [{ user: 'anna', all: ['a', 'b', 'c'], discovered: ['c'], again: ['a'] }]);
});

test('an item counts once, and events of other types are not predicted', () => {
  const { questions } = holdOutTime(log('anna buy a 0', 'anna buy b 30', 'anna buy b 31', 'anna view c 32'), 'buy', 1);
  assert.deepEqual(questions, [{ user: 'anna', all: ['b'], discovered: ['b'], again: [] }]);
});

test('the last discovery is asked after a history that ends before the visit of its first touch', () => {
  const events = log(
    'anna buy a 0',
    'anna view x 5',
    'anna view b 5.1',
    'anna view y 7',
    'anna buy b 9',
    'anna view c 20',
    'ben view a 1',
    'ben view b 2',
  );
  const { train, questions } = holdOutLast(events, 'buy', { skip: 0, visitGapMs: HOUR_MS / 2 });
  assert.deepEqual(questions, [{ user: 'anna', all: ['b'], discovered: ['b'], again: [] }]);
  const kept = train.map(({ user, item }) => `${user} ${item}`);
  assert.deepEqual(kept, ['anna a', 'ben a', 'ben b'], 'users who are not asked keep all their events');
});

test('a discovery without anything before it is not asked', () => {
  const events = log('anna buy a 0', 'anna buy b 5');
  assert.deepEqual(holdOutLast(events, 'buy', { skip: 1, visitGapMs: 0 }).questions, []);
  assert.equal(holdOutLast(events, 'buy', { skip: 1, visitGapMs: 0 }).train.length, 2);
});
