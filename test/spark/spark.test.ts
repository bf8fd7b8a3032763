// Counting on a real Spark cluster: the same to the last bit as on this machine, also when a worker of the cluster is killed.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { madeEvents } from '../../bench/made-events.ts';
import type { HistoryFiles } from '../../src/aggregation/spark/history-files.ts';
import type { KeptHistories } from '../../src/aggregation/spark/run-files.ts';
import { SparkAggregation } from '../../src/aggregation/spark/spark-aggregation.ts';
import type { SparkOptions, SparkProgress } from '../../src/aggregation/spark/spark-application.ts';
import { saveModel } from '../../src/artifact/g1-file.ts';
import { systemRuntime } from '../../src/base/runtime.ts';
import { inCanonicalOrder } from '../../src/dataset/canonical-order.ts';
import type { EventTable } from '../../src/dataset/event-table.ts';
import { HistoryBlocks } from '../../src/dataset/history-blocks.ts';
import type { StoreNumbers } from '../../src/dataset/read-store.ts';
import { heldEvents } from '../../src/dataset/training-events.ts';
import { KernelPool } from '../../src/kernels/kernel-pool.ts';
import { blobsUrlOf, openBlobStore } from '../../src/store/blob/open-blob-store.ts';
import { type Aggregate, fitModel } from '../../src/training/fit-model.ts';
import { TrainingClock } from '../../src/training/training-clock.ts';
import { aggregationSuite } from '../support/aggregation-suite.ts';
import { plainHistories } from '../support/plain-histories.ts';
import { SparkCluster } from './spark-cluster.ts';

const MOST_ITEMS = 120;
let cluster: SparkCluster;
let dataDir: string;
let runs = 0;
before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'kindred-spark-data-'));
  cluster = await SparkCluster.start();
});
after(async () => {
  await cluster?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

interface PlaceOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: SparkProgress) => void;
  readonly kept?: KeptHistories;
  readonly runtime?: SparkOptions['runtime'];
  readonly fileEntries?: number;
}

const placeOf = (options: PlaceOptions = {}) => ({
  settings: { master: cluster.master, submit: cluster.submit },
  blobs: openBlobStore({ dataDir }),
  blobsUrl: blobsUrlOf({ dataDir }),
  scratchDir: dataDir,
  runId: `run-${runs++}`,
  ...options,
});

aggregationSuite(
  'a Spark cluster',
  async (histories) => {
    const pool = new KernelPool(1);
    const aggregation = await SparkAggregation.create(
      placeOf(),
      await HistoryBlocks.build(pool.memory, plainHistories(histories)),
    );
    return {
      aggregation,
      u32: (length) => new Uint32Array(length),
      f32: (length) => new Float32Array(length),
      async close() {
        await aggregation.close();
        await pool.close();
      },
    };
  },
  true,
);

describe('training with Spark', () => {
  let table: EventTable;
  let numbers: StoreNumbers;
  before(async () => {
    // Not all items have room: the numbers of the others are missing in the store's.
    const room = { least: MOST_ITEMS, fit: () => MOST_ITEMS };
    const order = await inCanonicalOrder(madeEvents(6000, 400, 150), room);
    assert.ok(order.itemsLeftOut > 0);
    table = order.table;
    numbers = { userNumbers: order.formerRows, itemNumbers: order.formerItems };
  });

  async function modelBytes(aggregate?: Aggregate, events = table): Promise<Buffer> {
    const pool = new KernelPool(1);
    try {
      const { model } = await fitModel(
        pool,
        { events: heldEvents(events), aggregate },
        { seed: 3 },
        new TrainingClock(),
      );
      const file = join(dataDir, `model-${runs++}`);
      await saveModel(file, model);
      return await readFile(file);
    } finally {
      await pool.close();
    }
  }

  const onSpark =
    (options: PlaceOptions = {}, onFiles?: (files: HistoryFiles) => void): Aggregate =>
    async (x, work) => {
      const aggregation = await SparkAggregation.create(placeOf(options), x, numbers);
      try {
        onFiles?.(aggregation.files);
        return await work(aggregation);
      } finally {
        await aggregation.close();
      }
    };

  test('the model file is the same, bit for bit, also when a worker of the cluster is killed meanwhile', async () => {
    const heard: SparkProgress[] = [];
    let isKilled = false;
    const onProgress = (progress: SparkProgress) => {
      heard.push(progress);
      if (isKilled || progress.tasks === 0) return;
      isKilled = true;
      cluster.workers[0].kill('SIGKILL');
    };
    const here = await modelBytes();
    const there = await modelBytes(onSpark({ onProgress }));
    assert.ok(isKilled, 'the worker was killed while tasks ran');
    assert.ok(heard.some(({ tasksDone }) => tasksDone > 0) && heard.every(({ address }) => address.startsWith('http')));
    assert.ok(here.equals(there));
    const left = await Array.fromAsync(openBlobStore({ dataDir }).list('spark/'));
    assert.deepEqual(left, [], 'nothing is left in the artifact store');
  });

  test('a cluster without room for an executor fails the count, which says so', async () => {
    const settings = { master: cluster.master, submit: `${cluster.submit} --conf spark.executor.memory=100g` };
    // Ten minutes pass in six seconds.
    const runtime = { ...systemRuntime, monotonicMs: () => performance.now() * 100 };
    const aggregate: Aggregate = async (x, work) => {
      const aggregation = await SparkAggregation.create({ ...placeOf({ runtime }), settings }, x);
      try {
        return await work(aggregation);
      } finally {
        await aggregation.close();
      }
    };
    await assert.rejects(modelBytes(aggregate), /Spark ran no task of .* Does the cluster have free executors/);
  });

  test('a training that is stopped stops the application and leaves nothing behind', async () => {
    const control = new AbortController();
    const onProgress = () => control.abort(new Error('The job was stopped.'));
    await assert.rejects(modelBytes(onSpark({ signal: control.signal, onProgress })), /The job was stopped/);
    assert.deepEqual(await Array.fromAsync(openBlobStore({ dataDir }).list('spark/')), []);
  });

  test('a cluster that cannot be reached fails with what Spark says', async () => {
    const settings = { master: 'local[1]', submit: 'no-such-spark-submit' };
    const aggregate: Aggregate = async (x, work) => work(await SparkAggregation.create({ ...placeOf(), settings }, x));
    await assert.rejects(modelBytes(aggregate), /no-such-spark-submit could not be started/);
  });
});
