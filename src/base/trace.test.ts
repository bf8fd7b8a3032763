import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import {
  beginTrace,
  currentTrace,
  isTracing,
  type PastStep,
  pastSteps,
  StepLog,
  setTracing,
  type Tracing,
  traced,
  traceMethods,
} from './trace.ts';

afterEach(() => setTracing(null));

const namesOf = (steps: readonly PastStep[]): unknown[] => steps.map(({ name, steps }) => [name, namesOf(steps)]);

test('without tracing work runs as it is', () => {
  assert.equal(isTracing(), false);
  assert.equal(
    traced('step', () => 7),
    7,
  );
  assert.deepEqual([beginTrace({ name: 'call', kind: 'call' }), currentTrace(), pastSteps()], [null, null, null]);
});

test('with tracing each question goes to what was set', () => {
  const asked: string[] = [];
  const add = (): void => {};
  const tracing: Tracing = {
    begin: ({ name }) => {
      asked.push(`begin ${name}`);
      return null;
    },
    step: (name, work) => {
      asked.push(`step ${name}`);
      return work();
    },
    current: () => '00-1-2-01',
    past: () => add,
  };
  setTracing(tracing);
  assert.equal(isTracing(), true);
  beginTrace({ name: 'call', kind: 'call' });
  assert.equal(
    traced('read', () => 8),
    8,
  );
  assert.deepEqual(asked, ['begin call', 'step read']);
  assert.equal(currentTrace(), '00-1-2-01');
  assert.equal(pastSteps(), add);
});

test('a log of steps has each step inside the one that was open, with its times', async () => {
  const log = new StepLog();
  setTracing(log);
  const result = await traced('outer', async () => {
    traced('first', () => traced('inner', () => {}));
    await null;
    await traced('second', async () => {});
    return 9;
  });
  traced('after', () => {});
  assert.equal(result, 9);
  assert.deepEqual(namesOf(log.steps), [
    [
      'outer',
      [
        ['first', [['inner', []]]],
        ['second', []],
      ],
    ],
    ['after', []],
  ]);
  const [outer, after] = log.steps;
  assert.ok(outer.startedMs > Date.UTC(2025, 0) && outer.endedMs >= outer.steps[1].endedMs);
  assert.ok(outer.steps[0].startedMs >= outer.startedMs && after.startedMs >= outer.endedMs);
  assert.deepEqual([beginTrace({ name: 'call', kind: 'call' }), currentTrace(), pastSteps()], [null, null, null]);
});

test('a step that fails ends, too', async () => {
  const log = new StepLog();
  setTracing(log);
  const fail = (): never => {
    throw new Error('no');
  };
  assert.throws(() => traced('at once', fail), /no/);
  await assert.rejects(
    traced('later', async () => fail()),
    /no/,
  );
  traced('next', () => {});
  assert.deepEqual(namesOf(log.steps), [
    ['at once', []],
    ['later', []],
    ['next', []],
  ]);
  for (const { startedMs, endedMs } of log.steps) assert.ok(endedMs >= startedMs);
});

test('methods of a class are timed once, and keep their object, arguments and result', () => {
  class Shelf {
    readonly #books = 3;
    count(more: number): number {
      return this.#books + more;
    }
    other(): number {
      return this.#books;
    }
  }
  traceMethods(Shelf.prototype, { count: 'shelf.count' });
  traceMethods(Shelf.prototype, { count: 'shelf.count' });
  const log = new StepLog();
  setTracing(log);
  assert.equal(new Shelf().count(2) + new Shelf().other(), 8);
  assert.deepEqual(namesOf(log.steps), [['shelf.count', []]]);
});
