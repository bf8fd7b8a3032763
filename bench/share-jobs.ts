// Two workers against one on the same job, each pinned to a core of its own (taskset), on one store:
//   npm run bench -- share-jobs [--quick] [--users=0.3] [--only=lists,query,events,vectors,groups]
// `--users` is in millions.
// Workers are processes as in production; the time is that of the job, from its first claim to its result. Before a job is timed, every
// worker has run it: workers run for days, so their first job is not what a person waits for. A loop that counts tells how much more
// two cores of this machine do than one meanwhile: on a machine of others it is often less than 2.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import type { Job, JobType } from '../src/domain/job.ts';
import { newJob } from '../test/support/new-ids.ts';
import { madeProject } from './insight/made-project.ts';
import { quick, report } from './report.ts';

const MAIN = join(import.meta.dirname, '../src/main.ts');
const { values: flags } = parseArgs({
  options: { quick: { type: 'boolean' }, users: { type: 'string' }, only: { type: 'string' } },
});
const users = quick ? 20_000 : Math.round(Number(flags.users ?? 1) * 1e6);
const items = quick ? 5000 : 20_000;
/** Others on the machine make a run slower, never faster: the fastest of some says most. */
const ROUNDS = 3;
const BAR = 1.8;
const CLUSTERING = { cluster_type: 'user', parameters: { min_user_num: 10, num_clusters: null, seed: 1 } };

const JOBS: readonly [name: string, what: string, type: JobType, data: Record<string, unknown>][] = [
  [
    'lists',
    'lists of 20 for every user',
    'RECOMMENDATION',
    {
      ranker_model_id: null,
      model_given: true,
      placement: null,
      users: { all: true },
      limit: 20,
      objective: 'auto',
      filter_query: null,
      filter_params: {},
      exclude_event_types: [],
      attributes: [],
      destination: null,
      format: 'jsonl',
    },
  ],
  [
    'query',
    'affinity of every user with 20 genres',
    'QUERYING',
    {
      query_type: 'user_distribution',
      queries: Array.from({ length: 20 }, (_, genre) => ({ attribute: 'genre', value: `genre ${genre}`, bins: 20 })),
    },
  ],
  ['events', 'an export of all events', 'EXPORT', { what: 'events', format: 'jsonl', destination: null }],
  [
    'vectors',
    "an export of every user's vector",
    'EXPORT',
    { what: 'user_vectors', format: 'jsonl', destination: null },
  ],
  ['groups', 'groups of users', 'CLUSTERING', CLUSTERING],
];

const only = flags.only?.split(',');
const unknown = only?.filter((name) => !JOBS.some(([known]) => known === name)) ?? [];
if (unknown.length > 0) throw new Error(`There is no ${unknown.join(', ')}: ${JOBS.map(([name]) => name).join(', ')}.`);

const made = await madeProject({ users, items, eventsPerUser: 30, stored: 'planted', hasRanker: true });
const { store, project, dataDir } = made;

async function startWorker(core: number): Promise<ChildProcess> {
  const child = spawn('taskset', ['-c', String(core), process.execPath, MAIN, 'serve'], {
    env: {
      ...process.env,
      KINDRED_ROLES: 'worker',
      KINDRED_DATA_DIR: dataDir,
      KINDRED_LOG_LEVEL: 'warn',
      ...(quick && { KINDRED_JOB_PART_USERS: String(users / 10) }),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let text = '';
  child.stderr!.on('data', (chunk) => {
    text += chunk;
  });
  while (!text.includes('runs jobs')) {
    if (child.exitCode !== null) throw new Error(text);
    await delay(20);
  }
  return child;
}

async function stop(worker: ChildProcess): Promise<void> {
  const exited = once(worker, 'exit');
  worker.kill('SIGTERM');
  await exited;
}

async function secondsOf(type: JobType, data: Record<string, unknown>): Promise<number> {
  const { account_id, project_id } = project;
  const run = await made.run(type, data);
  const job: Job = newJob({ account_id, project_id, job_type: type, job_data: run.job.job_data });
  await store.jobs.submit(job);
  for (;;) {
    const { job_status, started_ts, finished_ts, failure_reason } = (await store.jobs.get(
      account_id,
      project_id,
      job.job_id,
    ))!;
    if (job_status === 'SUCCEED') return (finished_ts! - started_ts!) / 1000;
    if (job_status === 'FAILED') throw new Error(failure_reason?.message);
    await delay(50);
  }
}

const COUNT =
  'let n = 0; for (const end = Date.now() + 1000; Date.now() < end; n++) for (let i = 0; i < 1e5; i++); console.log(n)';

/** How much more two cores count than one. */
async function coresTogether(): Promise<number> {
  const count = async (core: number) =>
    Number((await promisify(execFile)('taskset', ['-c', String(core), process.execPath, '-e', COUNT])).stdout);
  const alone = await count(0);
  const both = await Promise.all([count(0), count(1)]);
  return (both[0] + both[1]) / alone;
}

/** Seconds of each round, after one that is not timed. */
async function timed(type: JobType, data: Record<string, unknown>, cores: number[]): Promise<number[]> {
  await secondsOf(type, data);
  const seconds: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    cores.push(await coresTogether());
    seconds.push(await secondsOf(type, data));
  }
  return seconds;
}

try {
  const first = await startWorker(0);
  for (const [name, what, type, data] of JOBS) {
    if (only && !only.includes(name)) continue;
    const cores: number[] = [];
    const alone = await timed(type, data, cores);
    const second = await startWorker(1);
    const shared = await timed(type, data, cores);
    await stop(second);
    const ratio = Math.min(...alone) / Math.min(...shared);
    const each = (numbers: readonly number[], digits = 1) => numbers.map((one) => one.toFixed(digits)).join(', ');
    report({
      bench: 'share-jobs',
      what: `${what}, ${users} users with 30 events, ${items} items, two workers with a core each`,
      ratio,
      base: 'one worker with a core',
      figures: `the fastest of ${ROUNDS} runs each: ${each(alone)} s alone, ${each(shared)} s shared; two cores of the machine counted ${each(cores, 2)} times as far as one`,
      bar: `at least ${BAR}`,
      met: ratio >= BAR,
    });
  }
  await stop(first);
} finally {
  await made.close();
}
