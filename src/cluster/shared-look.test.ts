import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { SharedLook } from './shared-look.ts';

test('calls that run before the next event share a look that waits for nothing, later ones look again', async () => {
  let looks = 0;
  const look = new SharedLook(() => ++looks);
  assert.equal(look.take(), 1);
  await null;
  assert.equal(look.take(), 1);
  await nextTurn();
  assert.equal(look.take(), 2);
});

test('a call that begins as a look ends shares the one that others wait for', async () => {
  const reads: PromiseWithResolvers<void>[] = [];
  const look = new SharedLook(() => {
    reads.push(Promise.withResolvers<void>());
    return reads.at(-1)!.promise;
  });
  const first = look.take();
  const second = look.take();
  const third = reads[0].promise.then(() => look.take());
  reads[0].resolve();
  await first;
  await nextTurn();
  assert.equal(reads.length, 2);
  reads[1].resolve();
  await Promise.all([second, third]);
});

test('a look that waits is not shared by calls that begin while it runs', async () => {
  let looks = 0;
  const look = new SharedLook(() => nextTurn().then(() => ++looks));
  const first = look.take();
  const [second, third] = [look.take(), look.take()];
  assert.deepEqual(await Promise.all([first, second, third]), [1, 2, 2]);
});
