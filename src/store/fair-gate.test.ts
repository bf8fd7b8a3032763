import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { FairGate } from './fair-gate.ts';
import { onBehalfOf } from './on-behalf-of.ts';

const LIMITS = { places: 3, placesOfAccount: 2, waitingOfAccount: 4 };

/** Work that ends when told, and notes when it starts. */
function workshop(gate: FairGate) {
  const started: string[] = [];
  const ends: (() => void)[] = [];
  return {
    started,
    do(accountId: string, name: string): Promise<void> {
      return onBehalfOf(accountId, () =>
        gate.run(() => {
          started.push(name);
          return new Promise<void>((resolve) => ends.push(resolve));
        }),
      );
    },
    async endOne(): Promise<void> {
      ends.shift()!();
      await nextTurn();
    },
  };
}

test('an account that fills its share leaves places to others', async () => {
  const { do: work, started } = workshop(new FairGate(LIMITS));
  for (const name of ['a1', 'a2', 'a3']) void work('a', name);
  assert.deepEqual(started, ['a1', 'a2']);
  void work('b', 'b1');
  assert.deepEqual(started, ['a1', 'a2', 'b1']);
});

test('when all places are taken accounts take turns', async () => {
  const { do: work, started, endOne } = workshop(new FairGate(LIMITS));
  for (const name of ['a1', 'a2', 'a3', 'a4']) void work('a', name);
  void work('b', 'b1');
  void work('b', 'b2');
  void work('c', 'c1');
  assert.deepEqual(started, ['a1', 'a2', 'b1']);
  for (let count = 0; count < 4; count++) await endOne();
  assert.deepEqual(started, ['a1', 'a2', 'b1', 'a3', 'b2', 'c1', 'a4']);
});

test('work beyond what an account may have waiting is refused, and the place of work that failed is free again', async () => {
  const gate = new FairGate({ places: 1, placesOfAccount: 1, waitingOfAccount: 2 });
  const { do: work, endOne } = workshop(gate);
  for (const name of ['a1', 'a2', 'a3']) void work('a', name);
  await assert.rejects(work('a', 'a4'), { code: 'OVERLOADED' });
  for (let count = 0; count < 3; count++) await endOne();
  const fail = () => onBehalfOf('a', () => gate.run(() => Promise.reject(new Error('it failed'))));
  for (let count = 0; count < 3; count++) await assert.rejects(fail(), /it failed/);
});

test('work of the service itself passes', async () => {
  const gate = new FairGate({ places: 1, placesOfAccount: 1, waitingOfAccount: 1 });
  void onBehalfOf('a', () => gate.run(() => new Promise(() => {})));
  assert.equal(await gate.run(async () => 'done'), 'done');
});
