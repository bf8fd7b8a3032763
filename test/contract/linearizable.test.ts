import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '../../src/base/seeded-random.ts';
import { checkHistory, type Operation } from '../soak/linearizable.ts';

const write = (value: string, calledMs: number, returnedMs: number): Operation<string> => ({
  kind: 'write',
  value,
  calledMs,
  returnedMs,
});
const read = (value: string, calledMs: number, returnedMs: number): Operation<string> => ({
  kind: 'read',
  value,
  calledMs,
  returnedMs,
});
const check = (...operations: Operation<string>[]) => checkHistory({ key: 'k', initial: '', operations });

test('a read returns what was written before it', () => {
  assert.equal(check(write('a', 0, 1), read('a', 2, 3)), 'linearizable');
  assert.equal(check(write('a', 0, 1), read('', 2, 3)), 'not linearizable');
});

test('while a write is under way a read may see either value, and then not the older one again', () => {
  assert.equal(check(write('a', 0, 10), read('', 1, 2), read('a', 3, 4)), 'linearizable');
  assert.equal(check(write('a', 0, 10), read('a', 1, 2), read('', 3, 4)), 'not linearizable');
});

test('a write that nobody heard of may have happened, at any later moment, or not', () => {
  const lost = write('a', 0, Number.POSITIVE_INFINITY);
  assert.equal(check(lost, read('', 1, 2)), 'linearizable');
  assert.equal(check(lost, read('', 1, 2), read('a', 3, 4)), 'linearizable');
  assert.equal(check(lost, read('a', 1, 2), read('', 3, 4)), 'not linearizable');
});

test('two clients never see two writes in different orders', () => {
  const writes = [write('a', 0, 10), write('b', 0, 10)];
  assert.equal(check(...writes, read('a', 11, 12), read('a', 13, 14)), 'linearizable');
  assert.equal(check(...writes, read('a', 11, 12), read('b', 13, 14)), 'not linearizable');
});

test('what a real register did is linearizable, and with one wrong read it is not', () => {
  for (let seed = 1; seed <= 50; seed++) {
    const random = seededRandom(seed);
    const operations: Operation<string>[] = [];
    let value = '';
    for (let n = 0, now = 0; n < 60; n++) {
      now += random.next();
      const [before, after] = [random.next(), random.next()];
      const isRead = random.chance(0.6);
      if (!isRead) value = `v${n}`;
      operations.push((isRead ? read : write)(value, now - before, now + after));
    }
    assert.equal(check(...operations), 'linearizable', `seed ${seed}`);
    const last = operations.findLastIndex(({ kind }) => kind === 'read');
    const wrong = operations.with(last, { ...operations[last], value: 'never written' });
    assert.equal(check(...wrong), 'not linearizable', `seed ${seed}`);
  }
});

test('a long history with many writes that nobody heard of is checked', () => {
  const random = seededRandom(3);
  const operations: Operation<string>[] = [];
  let value = '';
  for (let n = 0; n < 20_000; n++) {
    const isRead = random.chance(0.6);
    const isLost = !isRead && random.chance(0.2);
    const takesEffect = !isRead && (!isLost || random.chance(0.5));
    const written = `v${n}`;
    if (takesEffect) value = written;
    // Now and then nothing is under way.
    const nowMs = n + 5 * Math.floor(n / 20);
    const returnedMs = isLost ? Number.POSITIVE_INFINITY : nowMs + 1 + random.next();
    operations.push((isRead ? read : write)(isRead ? value : written, nowMs - random.next(), returnedMs));
  }
  assert.equal(check(...operations), 'linearizable');
  const last = operations.findLastIndex(({ kind }) => kind === 'read');
  assert.equal(check(...operations.with(last, { ...operations[last], value: 'never written' })), 'not linearizable');
});
