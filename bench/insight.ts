// Querying and clustering, measured on a made project (bench/insight/made-project.ts):
//   node bench/insight.ts [--quick] [--scale]       --scale adds 1 M users × 100 k items, some minutes

import { lloyd, type Points, seedCentroids } from '../src/insight/clustering/k-means.ts';
import { kernelAssign } from '../src/insight/clustering/kernel-assign.ts';
import { SeededRandom } from '../src/insight/clustering/seeded-random.ts';
import { openModel } from '../src/insight/insight-run.ts';
import { runClustering } from '../src/insight/run-clustering.ts';
import { runQuerying } from '../src/insight/run-querying.ts';
import { KernelPool } from '../src/kernels/kernel-pool.ts';
import type { UserSignal } from '../src/models/recommender.ts';
import { type MadeSize, madeProject } from './insight/made-project.ts';
import { quick, report } from './report.ts';

const QUERIES = {
  query_type: 'user_list',
  queries: [
    { conditions: [{ attribute: 'genre', value: 'genre 3', lower_bound: 0.2, upper_bound: null }] },
    {
      conditions: [
        { attribute: 'genre', value: 'genre 4', lower_bound: null, upper_bound: 0.01 },
        { attribute: 'year', value: 1990, lower_bound: 0.02, upper_bound: null },
      ],
    },
  ],
};
const CLUSTERING = { cluster_type: 'user', parameters: { min_user_num: 10, num_clusters: null, seed: 1 } };

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return (performance.now() - startedMs) / 1000;
}

async function queryingAgainstCalls(size: MadeSize): Promise<void> {
  const made = await madeProject(size);
  const { recommender, project } = await openModel(
    await made.run('QUERYING', {}),
    (await made.run('QUERYING', {})).job.job_data.model_id as string,
  );
  const calls = 2000;
  const signals: UserSignal[] = [];
  const answerAll = async () => {
    signals.length = 0;
    for (let user = 0; user < calls; user++) {
      const history = await made.store.events.history(project.event_dataset_id, `u${user}`, recommender.historyLimit);
      signals.push({ history, attributes: {} });
      recommender.top(signals[user], { limit: 10 });
    }
  };
  const scoreAll = async () => {
    for (const signal of signals) recommender.top(signal, { limit: 10 });
  };
  await answerAll();
  const callsPerSecond = calls / (await seconds(answerAll));
  const scoredPerSecond = calls / (await seconds(scoreAll));
  const run = await made.run('QUERYING', QUERIES);
  const jobSeconds = await seconds(() => runQuerying(run));
  const usersPerSecond = size.users / jobSeconds;
  const absolute = `${Math.round(usersPerSecond)} users/s, ${jobSeconds.toFixed(1)} s the whole job`;
  report({
    bench: 'insight',
    what: `users scored by a querying job, ${size.users} users × ${size.items} items`,
    ratio: usersPerSecond / callsPerSecond,
    base: 'recommendation calls (history from the store, best 10) in a loop in-process',
    figures: `${absolute}, ${Math.round(callsPerSecond)} calls/s`,
    bar: 'at least 5',
    met: usersPerSecond / callsPerSecond >= 5,
  });
  report({
    bench: 'insight',
    what: 'the same against the model alone',
    ratio: usersPerSecond / scoredPerSecond,
    base: 'calls of the recommender with histories at hand',
    figures: `${absolute}, ${Math.round(scoredPerSecond)} calls/s`,
  });
  const clusteringSeconds = await seconds(async () => runClustering(await made.run('CLUSTERING', CLUSTERING)));
  report({
    bench: 'insight',
    what: `a whole clustering job, ${size.users} users × ${size.items} items`,
    ratio: null,
    base: '',
    figures: `${clusteringSeconds.toFixed(1)} s, ${Math.round(size.users / clusteringSeconds)} users/s`,
  });
  await made.close();
}

async function kMeansAgainstMemory(count: number): Promise<void> {
  const dimensions = 64;
  const k = 50;
  const random = new SeededRandom(1);
  const pool = new KernelPool((await import('node:os')).availableParallelism());
  const values = pool.memory.f32(count * dimensions);
  for (let at = 0; at < values.length; at++) values[at] = random.unit() - 0.5;
  const points: Points = { count, dimensions, values };
  const sample: Points = { count: 2000, dimensions, values: values.subarray(0, 2000 * dimensions) };
  const start = seedCentroids(sample, k, random);
  const assign = kernelAssign(pool, points, k);
  const copy = new Float32Array(values.length);
  await assign(start, k, new Uint32Array(count));
  copy.set(values);
  let iterations = 0;
  const total = await seconds(async () => {
    ({ iterations } = await lloyd(points, start, k, assign, { maxIterations: 20, tolerance: 0 }));
  });
  const passes = 10;
  const pass =
    (await seconds(async () => {
      for (let n = 0; n < passes; n++) copy.set(values);
    })) / passes;
  report({
    bench: 'insight',
    what: `k-means of ${count} users in ${dimensions} dimensions, k = ${k}, ${iterations} iterations`,
    ratio: total / (pass * iterations),
    base: 'one pass over the same memory an iteration',
    figures: `${((total / iterations) * 1000).toFixed(1)} ms an iteration, ${(pass * 1000).toFixed(1)} ms a pass, ${((2 * count * dimensions * k * iterations) / total / 1e9).toFixed(1)} GFLOP/s`,
  });
  await pool.close();
}

async function scale(): Promise<void> {
  const perUser: number[] = [];
  for (const users of [250_000, 1_000_000]) {
    const made = await madeProject({ users, items: 100_000, eventsPerUser: 20, stored: false });
    const run = await made.run('QUERYING', QUERIES);
    const taken = await seconds(() => runQuerying(run));
    perUser.push(taken / users);
    const peakBytes = process.resourceUsage().maxRSS * 1024;
    report({
      bench: 'insight',
      what: `a querying job over ${users} users × 100000 items`,
      ratio: perUser[perUser.length - 1] / perUser[0],
      base: 'seconds a user at 250,000 users',
      figures: `${taken.toFixed(0)} s, ${Math.round(users / taken)} users/s, peak memory of the process ${(peakBytes / 2 ** 30).toFixed(2)} GiB`,
      bar: 'linear in users, within 4 GiB',
      met: peakBytes < 4 * 2 ** 30 && perUser[perUser.length - 1] / perUser[0] < 1.3,
    });
    if (users === 1_000_000) {
      const clustering = await seconds(async () => runClustering(await made.run('CLUSTERING', CLUSTERING)));
      const peak = process.resourceUsage().maxRSS * 1024;
      report({
        bench: 'insight',
        what: `a clustering job over ${users} users × 100000 items`,
        ratio: null,
        base: '',
        figures: `${clustering.toFixed(0)} s, ${Math.round(users / clustering)} users/s, peak memory of the process ${(peak / 2 ** 30).toFixed(2)} GiB`,
        bar: 'within 4 GiB',
        met: peak < 4 * 2 ** 30,
      });
    }
    await made.close();
  }
}

await queryingAgainstCalls(
  quick
    ? { users: 5_000, items: 5_000, eventsPerUser: 20, stored: true }
    : { users: 50_000, items: 20_000, eventsPerUser: 30, stored: true },
);
await kMeansAgainstMemory(quick ? 50_000 : 200_000);
if (process.argv.includes('--scale')) await scale();
