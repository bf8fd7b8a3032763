// Tests what a job reports and stores of a count on Spark, with a driver that runs no cluster.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fakeSpark } from '../../test/support/fake-spark.ts';
import { plainHistories } from '../../test/support/plain-histories.ts';
import { HistoryBlocks } from '../dataset/history-blocks.ts';
import type { JobProgress } from '../domain/job.ts';
import { KernelMemory } from '../kernels/kernel-memory.ts';
import { openBlobStore } from '../store/blob/open-blob-store.ts';
import { SparkCounting } from './count-on-spark.ts';
import type { JobContext } from './job-handler.ts';

let dataDir: string;
let address: string;
const rest = createServer((_, response) =>
  response.end(JSON.stringify([{ numTasks: 4, numActiveTasks: 1, numCompleteTasks: 1 }])),
);
before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'kindred-counting-'));
  await new Promise<void>((resolve) => rest.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(rest.address() as AddressInfo).port}`;
});
after(async () => {
  rest.close();
  await rm(dataDir, { recursive: true, force: true });
});

/** A job that counts once. `erasures`: how often users had been deleted when it asked. */
async function counted(erasures: number) {
  const told: JobProgress[] = [];
  const blobs = openBlobStore({ dataDir });
  const counting = new SparkCounting(
    {
      blobs,
      scratchDir: dataDir,
      attemptId: 'job_1-1',
      signal: new AbortController().signal,
      store: { datasets: { erasures: async () => erasures } },
      log: { info: () => {}, warn: () => {} },
      progress: (one: JobProgress) => void told.push(one),
    } as unknown as JobContext,
    {
      ...(await fakeSpark(dataDir, { response: '() => ({ rows: 0 })', begin: `say('KINDRED app-1 ${address}\\n');` })),
      blobsUrl: 'file:///',
    },
  );
  const tried = [{ family: 'walk', ndcg: 0.1 }];
  counting.progress({ fraction: 0.65, phase: 'fit', message: 'Fitting walk', tried });
  const users = [{ items: [0, 1], weights: [1, 1] }];
  await using histories = await HistoryBlocks.build(new KernelMemory(), plainHistories({ users, itemCount: 2 }));
  const numbers = { userNumbers: Uint32Array.of(7), itemNumbers: Uint32Array.of(3, 5) };
  const aggregate = counting.aggregateFor({ datasetId: 'ds_1', algorithmId: 'alg_1', erasures: 2 })(numbers);
  let keptMeanwhile = 0;
  await aggregate(histories, async (aggregation) => {
    keptMeanwhile = (await Array.fromAsync(blobs.list('spark/kept/ds_1/alg_1/'))).length;
    return aggregation.counts();
  });
  counting.progress({ fraction: 0.98, phase: 'save', message: 'Writing', tried });
  return { told, run: counting.run, keptMeanwhile, left: await Array.fromAsync(blobs.list('spark/')) };
}

test('all progress from the first count on names the application, and keeps what else was told', async () => {
  const { told, run } = await counted(2);
  const spark = { application_id: 'app-1', address };
  const tried = [{ family: 'walk', ndcg: 0.1 }];
  assert.deepEqual(run, spark);
  assert.deepEqual(told[0], { fraction: 0.65, phase: 'fit', message: 'Fitting walk', tried });
  assert.deepEqual(told[1], {
    fraction: 0.65,
    phase: 'fit',
    message: 'Counting on Spark: 1 of 4 tasks',
    tried,
    spark,
  });
  assert.deepEqual(told.at(-1), { fraction: 0.98, phase: 'save', message: 'Writing', tried, spark });
});

test('histories are kept for the next training, unless a user was deleted since the events were read', async () => {
  const kept = await counted(2);
  assert.deepEqual([kept.keptMeanwhile, kept.left.length], [1, 1]);
  const erased = await counted(3);
  assert.deepEqual([erased.keptMeanwhile, erased.left.length], [0, 0]);
});
