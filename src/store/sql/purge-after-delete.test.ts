import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemRuntime, type Timer } from '../../base/runtime.ts';
import { currentAccount, onBehalfOf } from '../on-behalf-of.ts';
import type { DatasetStore } from '../registry-store.ts';
import { purgeAfterDelete } from './purge-after-delete.ts';

/** A store whose `delete` returns what is given, and the number of chunks that are left. */
function stage(deleted: unknown, chunks: number) {
  const seen = { left: chunks, runs: 0, atOnce: 0 };
  let running = 0;
  const datasets = { delete: async () => deleted } as Partial<DatasetStore> as DatasetStore;
  const purge = purgeAfterDelete(
    datasets,
    async () => {
      seen.atOnce = Math.max(seen.atOnce, ++running);
      seen.runs++;
      await new Promise(setImmediate);
      running--;
      if (seen.left > 0) seen.left--;
      return seen.left > 0;
    },
    systemRuntime,
  );
  const remove = () => purge.datasets.delete('acc_1', 'item', 'ds_1');
  const until = async (isOver: () => boolean) => {
    while (!isOver()) await new Promise(setImmediate);
  };
  return { seen, purge, remove, until };
}

test('a deletion returns at once, and its records go chunk by chunk afterwards', async () => {
  const { seen, purge, remove, until } = stage({ dataset_id: 'ds_1' }, 3);
  assert.deepEqual(await remove(), { dataset_id: 'ds_1' });
  assert.ok(seen.left > 0);
  await until(() => seen.left === 0);
  await purge.stop();
  assert.equal(seen.atOnce, 1);
});

test('what was not deleted starts no purge', async () => {
  for (const outcome of [null, 'in-use']) {
    const { seen, purge, remove } = stage(outcome, 3);
    assert.equal(await remove(), outcome);
    await purge.stop();
    assert.equal(seen.runs, 0, String(outcome));
  }
});

test('a deletion during a purge is seen by it, and two never run at once', async () => {
  const { seen, purge, remove, until } = stage({}, 1);
  purge.start();
  await remove();
  await until(() => seen.runs === 2);
  await purge.stop();
  assert.deepEqual([seen.runs, seen.atOnce], [2, 1]);
});

test('a purge stops between two chunks, and none begins after that', async () => {
  const { seen, purge, remove } = stage({}, 1000);
  purge.start();
  await purge.stop();
  assert.equal(seen.runs, 1);
  await remove();
  purge.start();
  await new Promise(setImmediate);
  assert.equal(seen.runs, 1);
});

test('a purge is the work of the service and not of the account that deleted', async () => {
  const seen: (string | null)[] = [];
  const datasets = { delete: async () => ({}) } as unknown as DatasetStore;
  const purge = purgeAfterDelete(
    datasets,
    async () => {
      seen.push(currentAccount());
      return false;
    },
    systemRuntime,
  );
  await onBehalfOf('acc_1', () => purge.datasets.delete('acc_1', 'item', 'ds_1'));
  await purge.stop();
  assert.deepEqual(seen, [null]);
});

/** A purge whose first run fails, and the timers that it has set. */
function failingOnce() {
  const seen = { runs: 0, waiting: [] as (() => void)[] };
  const datasets = { delete: async () => ({}) } as unknown as DatasetStore;
  const after = (_delayMs: number, action: () => void): Timer => {
    seen.waiting.push(action);
    return { cancel: () => seen.waiting.splice(seen.waiting.indexOf(action), 1) };
  };
  const purgeSome = async () => {
    if (++seen.runs === 1) throw new Error('the disk is full');
    return false;
  };
  return { seen, purge: purgeAfterDelete(datasets, purgeSome, { after }) };
}

test('a purge that failed continues by itself', async () => {
  const { seen, purge } = failingOnce();
  purge.start();
  while (seen.waiting.length === 0) await new Promise(setImmediate);
  assert.equal(seen.runs, 1);
  seen.waiting.pop()!();
  while (seen.runs < 2) await new Promise(setImmediate);
  await purge.stop();
  assert.deepEqual([seen.runs, seen.waiting], [2, []]);
});

test('a deletion after a purge that failed continues at once', async () => {
  const { seen, purge } = failingOnce();
  purge.start();
  while (seen.waiting.length === 0) await new Promise(setImmediate);
  await purge.datasets.delete('acc_1', 'item', 'ds_1');
  await purge.stop();
  assert.deepEqual([seen.runs, seen.waiting], [2, []]);
});

test('a purge that failed does not continue once it is stopped', async () => {
  const { seen, purge } = failingOnce();
  purge.start();
  while (seen.waiting.length === 0) await new Promise(setImmediate);
  await purge.stop();
  assert.deepEqual([seen.runs, seen.waiting], [1, []]);
});
