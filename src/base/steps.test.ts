import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atOnce, inTurns, type Steps } from './steps.ts';

function* counting(steps: number, spend: () => void = () => {}): Steps<number> {
  for (let n = 0; n < steps; n++) {
    spend();
    yield;
  }
  return steps;
}

test('the result is the same at once and in turns', async () => {
  assert.equal(atOnce(counting(5)), 5);
  assert.equal(await inTurns(counting(5)), 5);
  assert.equal(await inTurns(counting(0)), 0);
});

test('others get their turn between steps', async () => {
  let others = 0;
  const timer = setInterval(() => others++, 0);
  const spend = () => {
    const startedMs = performance.now();
    while (performance.now() - startedMs < 6);
  };
  await inTurns(counting(10, spend));
  clearInterval(timer);
  assert.ok(others >= 5);
});

test('the work of many shares each turn', async () => {
  let steps = 0;
  let mostInOneTurn = 0;
  let isOver = false;
  const look = () => {
    mostInOneTurn = Math.max(mostInOneTurn, steps);
    steps = 0;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  const spend = () => {
    steps++;
    const startedMs = performance.now();
    while (performance.now() - startedMs < 3);
  };
  await Promise.all(Array.from({ length: 20 }, () => inTurns(counting(4, spend))));
  isOver = true;
  assert.ok(mostInOneTurn <= 4, `${mostInOneTurn} steps in one turn`);
});

test('what goes wrong in a step is thrown', async () => {
  const broken = () =>
    counting(3, () => {
      throw new Error('broken');
    });
  assert.throws(() => atOnce(broken()), /broken/);
  await assert.rejects(inTurns(broken()), /broken/);
});
