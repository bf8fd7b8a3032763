// Querying and clustering, measured on a made project (bench/insight/made-project.ts):
//   node bench/insight.ts [--quick]
//   node bench/insight.ts --scale                   how jobs grow: 1 M users × 100 k items, groups of 20 M users, some minutes
//   node bench/insight.ts --users N [--items N]     one querying job over a stored project of this size, and nothing else

import { availableParallelism } from 'node:os';
import { seededRandom } from '../src/base/seeded-random.ts';
import type { UserSignal } from '../src/history/user-signal.ts';
import { lloyd, seedCentroids } from '../src/insight/clustering/k-means.ts';
import { kernelAssign } from '../src/insight/clustering/kernel-assign.ts';
import type { Points } from '../src/insight/clustering/points.ts';
import { SAMPLE_USERS } from '../src/insight/clustering/sampled-groups.ts';
import { clusteringSteps } from '../src/insight/clustering-steps.ts';
import { openModel } from '../src/insight/insight-run.ts';
import { queryingSteps } from '../src/insight/querying-steps.ts';
import { KernelPool } from '../src/kernels/kernel-pool.ts';
import { asOnePiece } from '../src/pieces/one-piece.ts';
import { Opened } from '../src/pieces/opened.ts';
import { type MadeSize, madeProject } from './insight/made-project.ts';
import { median, numberOf, quick, report } from './report.ts';

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
const TURNS = 3;
/** What a customer needs: a million users of 20,000 items in a minute on 2 cores. */
const USERS_PER_SECOND = 1_000_000 / 60;
const CLUSTERING = { cluster_type: 'user', parameters: { min_user_num: 10, num_clusters: null, seed: 1 } };

interface Cost {
  seconds: number;
  /** of all threads together: says what the work costs also where other processes take their share of the cores */
  cpuSeconds: number;
}

async function costOf(work: () => Promise<unknown>): Promise<Cost> {
  const before = process.cpuUsage();
  const startedMs = performance.now();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { seconds: (performance.now() - startedMs) / 1000, cpuSeconds: (user + system) / 1e6 };
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  return (await costOf(work)).seconds;
}

async function queryingAgainstCalls(size: MadeSize): Promise<void> {
  const made = await madeProject(size);
  const { recommender, project } = await openModel(
    { ...(await made.run('QUERYING', {})), opened: new Opened() },
    (await made.run('QUERYING', {})).job.job_data.model_id as string,
  );
  // As long as a job, about: what disturbs the machine for a moment disturbs both.
  const calls = quick ? 2000 : 20_000;
  const signals: UserSignal[] = [];
  const respondToAll = async () => {
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
  const scored = async (threads?: number) => {
    const run = { ...(await made.run('QUERYING', QUERIES)), threads };
    return costOf(() => asOnePiece(run, queryingSteps));
  };
  await respondToAll();
  // In turns, and the median of the turns' ratios: what disturbs the machine for a while disturbs neighbors alike.
  const turns: { responding: Cost; scoring: Cost; job: Cost; alone: Cost }[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    turns.push({
      responding: await costOf(respondToAll),
      job: await scored(),
      scoring: await costOf(scoreAll),
      alone: await scored(1),
    });
  }
  const middle = (of: (turn: (typeof turns)[number]) => number) => median(turns.map(of));
  const against = (what: string, base: string, of: 'responding' | 'scoring') => {
    const ratios = turns.map((turn) => size.users / turn.job.seconds / (calls / turn[of].seconds));
    const jobMicros = middle(({ job }) => job.cpuSeconds / size.users) * 1e6;
    const callMicros = middle((turn) => turn[of].cpuSeconds / calls) * 1e6;
    return {
      bench: 'insight',
      what,
      ratio: median(ratios),
      base,
      figures:
        `median of ${TURNS} turns (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}): ` +
        `${Math.round(middle(({ job }) => size.users / job.seconds))} users/s, ${middle(({ job }) => job.seconds).toFixed(1)} s the whole job, ` +
        `${Math.round(middle((turn) => calls / turn[of].seconds))} calls/s; processor time ${jobMicros.toFixed(0)} µs per user, ` +
        `${callMicros.toFixed(0)} µs per call, ${(callMicros / jobMicros).toFixed(2)} × ${availableParallelism()} cores`,
    };
  };
  const row = against(
    `users scored by a querying job, ${size.users} users × ${size.items} items`,
    'recommendation calls (history from the store, best 10) in a loop in-process',
    'responding',
  );
  // Small jobs are mostly the loading of the model: the bar is for many users.
  const bar = '1 M users in under a minute: 16,667 users per second';
  const perSecond = middle(({ job }) => size.users / job.seconds);
  report(quick ? row : { ...row, bar, met: perSecond >= USERS_PER_SECOND });
  report(against('the same against the model alone', 'calls of the recommender with histories at hand', 'scoring'));
  // Where two cores are the two halves of one, a second thread brings little: this tells what it brings here.
  report({
    bench: 'insight',
    what: `the job on ${availableParallelism()} kernel threads`,
    ratio: middle(({ alone, job }) => alone.seconds / job.seconds),
    base: 'the job on one',
    figures: `processor time on one ${(middle(({ alone }) => alone.cpuSeconds / size.users) * 1e6).toFixed(0)} µs per user`,
  });
  const clusteringSeconds = await seconds(async () =>
    asOnePiece(await made.run('CLUSTERING', CLUSTERING), clusteringSteps(SAMPLE_USERS)),
  );
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
  const random = seededRandom(1);
  const pool = new KernelPool(availableParallelism());
  const values = pool.memory.f32(count * dimensions);
  for (let at = 0; at < values.length; at++) values[at] = random.next() - 0.5;
  const points: Points = { count, dimensions, values };
  const sample: Points = { count: 2000, dimensions, values: values.subarray(0, 2000 * dimensions) };
  const start = seedCentroids(sample, k, random);
  const assign = kernelAssign(pool, points, k);
  const copy = new Float32Array(values.length);
  await assign(start, k, new Uint32Array(count));
  copy.set(values);
  let iterations = 0;
  const total = await seconds(async () => {
    ({ iterations } = await lloyd(points, start, assign, { maxIterations: 20, tolerance: 0 }));
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
    base: 'one pass over the same memory per iteration',
    figures: `${((total / iterations) * 1000).toFixed(1)} ms per iteration, ${(pass * 1000).toFixed(1)} ms per pass, ${((2 * count * dimensions * k * iterations) / total / 1e9).toFixed(1)} GFLOP/s`,
  });
  await pool.close();
}

async function scale(): Promise<void> {
  const size = { users: 1000, items: 100_000, eventsPerUser: 20, stored: false };
  const made = await madeProject(size);
  const peakBytes = () => process.resourceUsage().maxRSS * 1024;
  const jobs: { users: number; cpuSeconds: number }[] = [];
  for (const users of [100_000, 200_000, 400_000, 1_000_000]) {
    size.users = users;
    const run = await made.run('QUERYING', QUERIES);
    const cost = await costOf(() => asOnePiece(run, queryingSteps));
    jobs.push({ users, cpuSeconds: cost.cpuSeconds });
    const growth = exponent(jobs[0], jobs[jobs.length - 1]);
    report({
      bench: 'insight',
      what: `a querying job over ${users} users × ${size.items} items`,
      ratio: cost.cpuSeconds / users / (jobs[0].cpuSeconds / jobs[0].users),
      base: 'processor time per user at 100,000 users',
      figures: `${cost.seconds.toFixed(0)} s, ${cost.cpuSeconds.toFixed(0)} s of processor time, grows with users to the power ${growth.toFixed(2)}, peak memory of the process ${gibibytes(peakBytes())}`,
      bar: 'linear in users, within 4 GiB',
      met: peakBytes() < 4 * 2 ** 30 && growth < 1.1,
    });
  }
  const grouped: { users: number; cpuSeconds: number }[] = [];
  for (const [users, eventsPerUser] of [
    [1_000_000, 20],
    [1_000_000, 5],
    [20_000_000, 5],
  ]) {
    Object.assign(size, { users, eventsPerUser });
    const cost = await costOf(async () =>
      asOnePiece(await made.run('CLUSTERING', CLUSTERING), clusteringSteps(SAMPLE_USERS)),
    );
    grouped.push({ users, cpuSeconds: cost.cpuSeconds });
    report({
      bench: 'insight',
      what: `a clustering job over ${users} users with ${eventsPerUser} events × ${size.items} items`,
      ratio: cost.cpuSeconds / users / (grouped[0].cpuSeconds / grouped[0].users),
      base: 'processor time per user at 1,000,000 users with 20 events',
      figures: `${cost.seconds.toFixed(0)} s, ${cost.cpuSeconds.toFixed(0)} s of processor time, peak memory of the process ${gibibytes(peakBytes())}`,
      ...(users === 1_000_000 && { bar: 'within 4 GiB', met: peakBytes() < 4 * 2 ** 30 }),
    });
  }
  await made.close();
}

/** e of cost ∝ users^e between the two; 1 for the first against itself. */
function exponent(a: { users: number; cpuSeconds: number }, b: { users: number; cpuSeconds: number }): number {
  return a.users === b.users ? 1 : Math.log(b.cpuSeconds / a.cpuSeconds) / Math.log(b.users / a.users);
}

function gibibytes(bytes: number): string {
  return `${(bytes / 2 ** 30).toFixed(2)} GiB`;
}

/** Of a size that is planted in the store, as a job of the service reads it. */
async function oneJob(users: number, items: number): Promise<void> {
  const eventsPerUser = 30;
  const made = await madeProject({ users, items, eventsPerUser, stored: 'planted' });
  const cost = await costOf(async () => asOnePiece(await made.run('QUERYING', QUERIES), queryingSteps));
  report({
    bench: 'insight',
    what: `a querying job, ${users} users with ${eventsPerUser} events × ${items} items`,
    ratio: users / cost.seconds / USERS_PER_SECOND,
    base: '1 M users per minute',
    figures: `${Math.round(users / cost.seconds)} users/s, ${cost.seconds.toFixed(1)} s, ${((cost.cpuSeconds / users) * 1e6).toFixed(0)} µs of processor time per user, peak memory of the process ${gibibytes(process.resourceUsage().maxRSS * 1024)}`,
    bar: 'at least 1 on 2 cores',
    met: users / cost.seconds >= USERS_PER_SECOND,
  });
  await made.close();
}

const users = numberOf('--users');
if (users !== undefined) await oneJob(users, numberOf('--items') ?? 20_000);
else if (process.argv.includes('--scale')) await scale();
else {
  await queryingAgainstCalls(
    quick
      ? { users: 5_000, items: 5_000, eventsPerUser: 20, stored: true }
      : { users: 200_000, items: 20_000, eventsPerUser: 30, stored: true },
  );
  await kMeansAgainstMemory(quick ? 50_000 : 200_000);
}
