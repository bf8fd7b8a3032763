// Counting on Spark: `npm run bench -- spark`, or `node bench/spark.ts --made 20`. Starts a cluster of two workers on this machine
// (Java 17 and Python, as `npm run test:spark` needs).
//
//   --events 10   the built-in way and Spark on the same made events (millions), with the time of each: pairs, then transitions
//   --made 20,50  pairs of this number of events (millions), made inside Spark, on executors of 4 GB
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { BuiltInAggregation } from '../src/aggregation/built-in.ts';
import type { EventAggregation } from '../src/aggregation/event-aggregation.ts';
import { SparkAggregation } from '../src/aggregation/spark/spark-aggregation.ts';
import { buildHistories } from '../src/dataset/history-blocks.ts';
import { buildGram } from '../src/experts/gram.ts';
import { transitionRows } from '../src/experts/transitions.ts';
import { KernelPool } from '../src/kernels/kernel-pool.ts';
import { blobsUrlOf, openBlobStore } from '../src/store/blob/open-blob-store.ts';
import { plainRules } from '../src/training/choose-rules.ts';
import { SparkCluster } from '../test/spark/spark-cluster.ts';
import { madeEvents } from './made-events.ts';
import { report } from './report.ts';

const ITEMS = 200_000;
const EVENTS_PER_USER = 20;
/** of histories made inside Spark: what internet scale has on average (docs/scale.md) */
const MADE_PER_USER = 10;
const TRANSITION_SLOT = 120;

const { values: flags } = parseArgs({ options: { events: { type: 'string' }, made: { type: 'string' } } });
const millions = (list: string | undefined): number[] =>
  list === undefined ? [] : list.split(',').map((size) => Math.round(Number(size) * 1e6));

const dataDir = mkdtempSync(join(tmpdir(), 'kindred-spark-bench-'));
const cluster = await SparkCluster.start({ executorMb: 4000, driverMb: 1500, shufflePartitions: 200 });
try {
  for (const events of millions(flags.events ?? (flags.made ? undefined : '10'))) await compare(events);
  for (const events of millions(flags.made)) await countMade(events);
} finally {
  await cluster.stop();
  rmSync(dataDir, { recursive: true });
}

async function compare(events: number): Promise<void> {
  const table = madeEvents(events, Math.round(events / EVENTS_PER_USER), Math.min(ITEMS, Math.round(events / 5)));
  const pool = new KernelPool(2);
  await using histories = await buildHistories(pool.memory, table, plainRules(table, {}, 1));
  const here = await timed(pool, new BuiltInAggregation(pool, histories), histories.degrees);
  const startedMs = performance.now();
  const place = { blobs: openBlobStore({ dataDir }), blobsUrl: blobsUrlOf({ dataDir }), scratchDir: dataDir };
  const aggregation = await SparkAggregation.create({ ...place, settings: cluster, runId: 'bench' }, histories);
  const putSeconds = secondsSince(startedMs);
  const there = await timed(pool, aggregation, histories.degrees);
  await aggregation.close();
  await pool.close();
  const size = `${(table.length / 1e6).toPrecision(3)} M events, ${table.itemCount} items`;
  const put = `histories in the artifact store ${putSeconds.toFixed(0)} s`;
  for (const what of ['pairs', 'transitions'] as const) {
    report({
      bench: 'spark',
      what: `counting ${what}, ${size}`,
      ratio: there[what] / here[what],
      base: 'this machine alone',
      figures: `Spark ${there[what].toFixed(0)} s, built in ${here[what].toFixed(0)} s${what === 'pairs' ? `; ${put}` : ''}`,
    });
  }
}

async function timed(pool: KernelPool, aggregation: EventAggregation, degrees: Uint32Array) {
  const mark = pool.memory.mark();
  let startedMs = performance.now();
  await buildGram(pool, aggregation, [0.5, 1]);
  const pairs = secondsSince(startedMs);
  pool.memory.release(mark);
  startedMs = performance.now();
  const input = { aggregation, degrees: Float32Array.from(degrees) };
  await transitionRows(pool, input, 'window', Math.min(TRANSITION_SLOT, degrees.length));
  const transitions = secondsSince(startedMs);
  pool.memory.release(mark);
  return { pairs, transitions };
}

async function countMade(events: number): Promise<void> {
  const out = join(dataDir, `made-${events}`);
  const program = join(import.meta.dirname, '../deploy/spark/aggregate.py');
  const [file, ...options] = cluster.submit.split(' ');
  const sizes = [events / MADE_PER_USER, ITEMS, MADE_PER_USER].map(String);
  const script = join(import.meta.dirname, 'scale/count-made.py');
  const driver = spawn(file, [...options, '--master', cluster.master, script, program, ...sizes, `file://${out}`], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [printed, log] = await Promise.all([text(driver.stdout), text(driver.stderr)]);
  const line = printed.split('\n').find((one) => one.startsWith('MADE '));
  if (line === undefined) throw new Error(log.slice(-4000));
  const { seconds, pairs, shuffledBytes, spilledBytes } = JSON.parse(line.slice(5));
  const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`;
  report({
    bench: 'spark',
    what: `pairs of ${events / 1e6} M events made inside Spark`,
    ratio: null,
    base: '',
    figures: `${seconds.toFixed(0)} s, ${(pairs / 1e6).toFixed(0)} M sums shuffled (${gigabytes(shuffledBytes)}), ${gigabytes(spilledBytes)} spilled`,
  });
  rmSync(out, { recursive: true });
}

function secondsSince(startedMs: number): number {
  return (performance.now() - startedMs) / 1000;
}
