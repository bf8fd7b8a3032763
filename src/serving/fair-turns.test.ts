import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Steps } from '../base/steps.ts';
import { AppError } from '../errors.ts';
import { FairTurns } from './fair-turns.ts';

function* working(ms: number, result = 0): Steps<number> {
  for (let spent = 0; spent < ms; spent++) {
    const startMs = performance.now();
    while (performance.now() - startMs < 1);
    yield;
  }
  return result;
}

/** Other processes may take most of the machine's time. */
const PATIENT = { maxWaitMs: 600_000 };

test('work gives its result, and what goes wrong in it is thrown', async () => {
  const turns = new FairTurns();
  assert.equal(await turns.run('a', working(0, 7)), 7);
  assert.equal(await turns.run('a', working(12, 8)), 8);
  await assert.rejects(
    turns.run(
      'a',
      (function* broken(): Steps<void> {
        yield;
        throw new Error('broken');
      })(),
    ),
    /broken/,
  );
  assert.equal(turns.size, 0);
});

test('short work is done at once, but not more of it than fits in a turn', async () => {
  const turns = new FairTurns();
  const short = turns.run('a', working(0));
  assert.equal(turns.size, 0);
  const runs = Array.from({ length: 20 }, () => turns.run('a', working(1)));
  assert.ok(turns.size >= 10, `${turns.size} of 20 wait`);
  await short;
  await Promise.all(runs);
});

test('one account with much work does not hold up another with little', async () => {
  const turns = new FairTurns(PATIENT);
  const much = Array.from({ length: 40 }, () => turns.run('greedy', working(20)));
  await nextTurn();
  await turns.run('modest', working(3));
  assert.ok(turns.size >= 36, `${turns.size} of the other account's 40 are still waiting`);
  await Promise.all(much);
});

test('short work of an account gets past long work that came before it', async () => {
  const turns = new FairTurns(PATIENT);
  const long = Array.from({ length: 3 }, () => turns.run('a', working(100)));
  await turns.run('a', working(10));
  assert.equal(turns.size, 3);
  await Promise.all(long);
});

test('in a turn of the event loop runs one slice, however many wait', async () => {
  const turns = new FairTurns(PATIENT);
  let slicesOfSteps = 0;
  function* counting(): Steps<void> {
    for (let n = 0; n < 10; n++) {
      const startMs = performance.now();
      while (performance.now() - startMs < 5);
      slicesOfSteps++;
      yield;
    }
  }
  const runs = Promise.all(Array.from({ length: 10 }, (_, n) => turns.run(`account ${n}`, counting())));
  let most = 0;
  while (turns.size > 0) {
    const before = slicesOfSteps;
    await nextTurn();
    most = Math.max(most, slicesOfSteps - before);
  }
  assert.ok(most <= 2, `${most} steps of 5 ms in one turn`);
  await runs;
});

test('work beyond the limits of an account is refused, and that of others is not', async () => {
  const turns = new FairTurns({ maxWaitingOfAccount: 3, maxWaitMs: 10_000 });
  const isRefusal = (error: unknown) =>
    error instanceof AppError && error.code === 'RATE_LIMITED' && error.retryAfterSec === 1;
  const runs = Array.from({ length: 3 }, () => turns.run('a', working(10)));
  await assert.rejects(turns.run('a', working(1)), isRefusal);
  await turns.run('b', working(1));
  await Promise.all(runs);

  const impatient = new FairTurns({ maxWaitingOfAccount: 10, maxWaitMs: 1 });
  const first = impatient.run('a', working(40, 1));
  await assert.rejects(impatient.run('a', working(1)), isRefusal);
  assert.equal(await first, 1);
});
