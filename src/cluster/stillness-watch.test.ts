import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StillnessWatch } from './stillness-watch.ts';

const entry = (beat: number, id = 'a') => ({ id, beat });
const newWatch = () =>
  new StillnessWatch<{ id: string; beat: number }>(
    1000,
    ({ id }) => id,
    ({ beat }) => beat,
  );

test('an entry is still when its counter stood for the limit, as this observer saw it', () => {
  const watch = newWatch();
  assert.deepEqual(watch.observe([entry(1)], 5000), []);
  assert.deepEqual(watch.observe([entry(1)], 5999), []);
  assert.deepEqual(watch.observe([entry(1), entry(1, 'b')], 6000), [entry(1)]);
});

test('a heartbeat restarts the clock', () => {
  const watch = newWatch();
  watch.observe([entry(1)], 0);
  assert.deepEqual(watch.observe([entry(2)], 900), []);
  assert.deepEqual(watch.observe([entry(2)], 1800), []);
  assert.deepEqual(watch.observe([entry(2)], 1900), [entry(2)]);
});

test('an entry that went away is forgotten', () => {
  const watch = newWatch();
  watch.observe([entry(1)], 0);
  watch.observe([], 500);
  assert.deepEqual(watch.observe([entry(1)], 1500), []);
});
