// Counting on a real Spark cluster whose executors read and write a real S3 server. Needs Go for the server, and loads Hadoop's
// connector with the SDK of AWS (560 MB) from Maven Central once: `npm run test:spark-s3`.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { madeEvents } from '../../bench/made-events.ts';
import { BuiltInAggregation } from '../../src/aggregation/built-in.ts';
import type { EventAggregation } from '../../src/aggregation/event-aggregation.ts';
import { SparkAggregation } from '../../src/aggregation/spark/spark-aggregation.ts';
import { buildHistories } from '../../src/dataset/history-blocks.ts';
import { transitionRows } from '../../src/experts/transitions.ts';
import { KernelPool } from '../../src/kernels/kernel-pool.ts';
import { blobsUrlOf, hadoopSettingsOf, openBlobStore } from '../../src/store/blob/open-blob-store.ts';
import { plainRules } from '../../src/training/choose-rules.ts';
import { type S3Gateway, startS3Gateway } from '../network/s3-gateway.ts';
import { SparkCluster } from './spark-cluster.ts';

/** The connector of the Hadoop that Spark 4.0 brings. */
const CONNECTOR = 'org.apache.hadoop:hadoop-aws:3.4.1';
const SLOT = 40;

let cluster: SparkCluster;
let s3: S3Gateway;
let dataDir: string;
before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'kindred-spark-s3-'));
  s3 = await startS3Gateway();
  Object.assign(process.env, s3.env);
  cluster = await SparkCluster.start();
});
after(async () => {
  await cluster?.stop();
  await s3?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

test('executors read histories from S3 and write rows there, equal to those of this machine', async () => {
  const config = { dataDir, artifactsUrl: s3.urlAt(s3.port) };
  const blobs = openBlobStore(config);
  const table = madeEvents(6000, 400, 150);
  const pool = new KernelPool(1);
  try {
    const histories = await buildHistories(pool.memory, table, plainRules(table, {}, 1));
    const submit = `${cluster.submit} --packages ${CONNECTOR} --conf spark.jars.ivy=${join(tmpdir(), 'kindred-spark-jars')}`;
    const settings = { master: cluster.master, submit, hadoop: hadoopSettingsOf(config) };
    const place = { settings, blobs, blobsUrl: blobsUrlOf(config), scratchDir: dataDir, fileEntries: 2000 };
    const aggregation = await SparkAggregation.create(
      { ...place, runId: 'run', kept: { name: 'dataset/algorithm' } },
      histories,
    );
    const rowsOf = async (by: EventAggregation) => {
      const degrees = Float32Array.from(histories.degrees);
      const { counts, columns, values } = await transitionRows(pool, { aggregation: by, degrees }, 'window', SLOT);
      return Array.from(counts, (count, row) => ({
        columns: [...columns.subarray(row * SLOT, row * SLOT + count)],
        values: [...values.subarray(row * SLOT, row * SLOT + count)],
      }));
    };
    try {
      assert.deepEqual(await rowsOf(aggregation), await rowsOf(new BuiltInAggregation(pool, histories)));
    } finally {
      await aggregation.close();
    }
    const left = await Array.fromAsync(blobs.list('spark/'), ({ key }) => key);
    assert.deepEqual(left.sort(), [...aggregation.files.keys].sort(), 'only the histories are left');
  } finally {
    await pool.close();
  }
});
