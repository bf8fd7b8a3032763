import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { SharedTurns } from './turns.ts';

test('work that arrives together takes each step together', async () => {
  const turns = new SharedTurns(10);
  const steps: string[] = [];
  const work = async (name: string) => {
    await turns.join();
    steps.push(`${name} begins`);
    await null;
    steps.push(`${name} ends`);
  };
  await Promise.all([work('a'), work('b')]);
  assert.deepEqual(steps, ['a begins', 'b begins', 'a ends', 'b ends']);
});

test('other events are handled after as many as share a turn', async () => {
  const turns = new SharedTurns(2);
  let begun = 0;
  const all = Promise.all(Array.from({ length: 5 }, () => turns.join().then(() => begun++)));
  const seen: number[] = [];
  for (let n = 0; n < 3; n++) {
    await nextTurn();
    seen.push(begun);
  }
  assert.deepEqual(seen, [2, 4, 5]);
  await all;
});

test('long work shares its turn with less, short work with more again', async () => {
  const turns = new SharedTurns(8);
  const together = async (workMs: number) => {
    let inTurn = 0;
    let most = 0;
    const work = async () => {
      await turns.join();
      most = Math.max(most, ++inTurn);
      process.nextTick(() => {
        inTurn = 0;
      });
      const before = process.threadCpuUsage();
      while (process.threadCpuUsage(before).user < workMs * 1000);
    };
    for (let round = 0; round < 6; round++) await Promise.all(Array.from({ length: 8 }, work));
    most = 0;
    await Promise.all(Array.from({ length: 8 }, work));
    return most;
  };
  assert.equal(await together(10), 1);
  assert.ok((await together(0)) > 1);
});
