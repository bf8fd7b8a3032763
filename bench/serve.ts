// `npm run bench -- serve`: how fast the recommendation call is against a bare Fastify route in the same run, what it costs while
// events come in and a model trains, how soon an event counts, how long deployment and restart take, and how all of it grows.
import { availableParallelism, cpus } from 'node:os';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { seededRandom } from '../src/base/seeded-random.ts';
import { freshPostgres, stopPostgres } from '../test/support/postgres.ts';
import { quick, report } from './report.ts';
import { type LoadResult, percentile, runLoad } from './serve/load.ts';
import { neighborsOf } from './serve/made-model.ts';
import { itemIdOf, type MadeSize, userIdOf } from './serve/made-project.ts';
import { changeAnItem, PATH, type Stage, startBare, withStage } from './serve/stage.ts';

const SECONDS = quick ? 1 : 5;
const ROUNDS = quick ? 1 : 3;
const BASE: MadeSize = { users: quick ? 10_000 : 100_000, items: 20_000, eventsPerUser: 20 };
/** Users whose rankings are warm before "users who call again" is measured. */
const REGULARS = 2000;
const random = seededRandom(3);

async function main(): Promise<void> {
  process.stdout.write(`${cpus()[0].model}, ${availableParallelism()} cores, Node ${process.versions.node}\n`);
  await measureBase();
  for (const size of growth()) await measureGrowth(size);
}

function growth(): MadeSize[] {
  if (quick) return [];
  return [
    { users: 10_000, items: 10_000, eventsPerUser: 20 },
    { users: 10_000, items: 100_000, eventsPerUser: 20 },
    { users: 10_000, items: 1_000_000, eventsPerUser: 20 },
    { users: 1_000_000, items: 20_000, eventsPerUser: 5 },
  ];
}

/** Everything that is measured at the size the bars are for. */
async function measureBase(): Promise<void> {
  await withStage(BASE, {}, async (stage) => {
    await compareWithBare(stage, 'SQLite');
    await measureUnderLoad(stage);
    await measureFreshness(stage);
  });
  await withStage(BASE, {}, (stage) => measureFilters(stage, BASE.items));
  const { url, drop } = await freshPostgres();
  await withStage(BASE, { KINDRED_DATABASE_URL: url }, (stage) => compareWithBare(stage, 'PostgreSQL'));
  await drop();
  await stopPostgres();
}

async function compareWithBare(stage: Stage, database: 'SQLite' | 'PostgreSQL'): Promise<void> {
  const sample = await stage.service.ok('POST', PATH, anyUser(stage));
  const bare = await startBare(stage.service.dataDir, sample);
  const bareRoute = { url: `${bare.url}${PATH}` };
  const base: LoadResult[] = [];
  const again: LoadResult[] = [];
  const busy: LoadResult[] = [];
  const computed: LoadResult[] = [];
  const top: LoadResult[] = [];
  try {
    // Until the engine has compiled what is hot.
    const warmUp = { seconds: quick ? 1 : 5 };
    await load(stage, { ...bareRoute, ...warmUp });
    await load(stage, warmUp);
    // Turn by turn, so that a noisy neighbor hits all.
    for (let round = 0; round < ROUNDS; round++) {
      base.push(await load(stage, bareRoute));
      await changeAnItem(stage);
      computed.push(await load(stage, { body: usersInTurn }));
      top.push(await load(stage, { url: `${stage.service.baseUrl}/list-top-items`, body: topItems }));
      await load(stage, { body: regularsInTurn, calls: REGULARS });
      again.push(await load(stage, { body: regulars }));
      const events = upsertEvents(stage, 100, 1);
      busy.push(await load(stage, { body: regulars }));
      await events.stop();
    }
  } finally {
    bare.stop();
  }
  const compare = (what: string, ours: LoadResult[], bar?: number): void => {
    const ratio = mean(ours.map(perSecond)) / mean(base.map(perSecond));
    report({
      bench: 'serve',
      what: `calls per second on ${database}, ${BASE.users} users with histories, ${BASE.items} items, 32 connections, ${what}`,
      ratio,
      base: 'a bare Fastify route with the same validation, credentials and response size',
      figures: `${rate(ours)}; bare ${rate(base)}; failed calls ${ours.reduce((sum, { failed }) => sum + failed, 0)}`,
      ...(bar && { bar: `at least ${bar}`, met: ratio >= bar }),
    });
  };
  compare('computed: nothing is cached', computed, database === 'SQLite' ? 0.4 : undefined);
  compare('users who call again', again, 0.5);
  compare('the same while 100 users per second do something new', busy);
  compare('a top list (/list-top-items)', top, 0.5);
}

/** The made events are older than what is counted, but items have a time. */
function topItems({ project }: Pick<Stage, 'project'>): object {
  return { project_id: project.project_id, by: 'newest', attributes: ['title', 'price'], limit: 10 };
}

/** Users in turn: none calls twice. */
let usersAsked = 0;
function usersInTurn({ size }: Pick<Stage, 'size'>): object {
  return requestFor(usersAsked++ % size.users);
}

/** Each of the users who call again, once. */
let regularsAsked = 0;
function regularsInTurn({ size }: Pick<Stage, 'size'>): object {
  return requestFor(regularsAsked++ % Math.min(size.users, REGULARS));
}

/** Users who call again within a minute. */
function regulars({ size }: Pick<Stage, 'size'>): object {
  return requestFor(random.below(Math.min(size.users, REGULARS)));
}

function anyUser({ size }: Pick<Stage, 'size'>): object {
  return requestFor(random.below(size.users));
}

function requestFor(user: number): object {
  return { user_id: userIdOf(user), attributes: ['title', 'price'], limit: 10 };
}

async function measureUnderLoad(stage: Stage): Promise<void> {
  // Below saturation: a queue would hide what is measured.
  const calm = { connections: 4 };
  const idle = await load(stage, calm);
  const events = upsertEvents(stage, 5000, 500);
  const underWrites = await load(stage, calm);
  const written = await events.stop();
  reportSlowdown(idle, underWrites, `while ${written.toFixed(0)} events per second are upserted`);

  const { job_id, algorithm_id } = await startTraining(stage);
  const underTraining = await load(stage, calm);
  const { project_id } = stage.project;
  const job = await stage.service.ok('GET', '/get-job', { project_id, job_id });
  if (job.job_status === 'RUNNING') {
    reportSlowdown(idle, underTraining, 'while a model trains on the same machine');
    await stage.service.ok('POST', '/cancel-job', { project_id, job_id });
  } else {
    process.stdout.write(`serve: the training (${algorithm_id}) ended early: ${JSON.stringify(job.failure_reason)}\n`);
  }
}

function reportSlowdown(idle: LoadResult, busy: LoadResult, what: string): void {
  const ratio = busy.p99Ms / idle.p99Ms;
  report({
    bench: 'serve',
    what: `p99 of the recommendation call ${what}`,
    ratio,
    base: 'the idle p99',
    figures: `p99 ${ms(busy.p99Ms)}, p50 ${ms(busy.p50Ms)}; idle p99 ${ms(idle.p99Ms)}, p50 ${ms(idle.p50Ms)}; failed ${busy.failed}`,
    bar: 'at most 5',
    met: ratio <= 5 && busy.failed === 0,
  });
}

async function startTraining({ service, project }: Stage): Promise<{ job_id: string; algorithm_id: string }> {
  const { project_id } = project;
  const { algorithm_id } = await service.ok('POST', '/create-algorithm', {
    project_id,
    name: 'default',
    algorithm_type: 'G1',
  });
  const { job_id } = await service.ok('POST', '/submit-training-job', { project_id, algorithm_id });
  for (;;) {
    const job = await service.ok('GET', '/get-job', { project_id, job_id });
    if (job.job_status !== 'PENDING') return { job_id, algorithm_id };
    await delay(50);
  }
}

let eventsSent = 0;
/** Upserts this many events per second, in batches, until it is stopped; returns the rate it reached. */
function upsertEvents(
  { service, project, size }: Stage,
  perSec: number,
  batchSize: number,
): { stop(): Promise<number> } {
  let stopped = false;
  const first = eventsSent;
  const random = seededRandom(11);
  const startedMs = performance.now();
  const batch = (count: number) =>
    Array.from({ length: count }, () => ({
      event_id: `more-${eventsSent++}`,
      user_id: userIdOf(random.below(size.users)),
      item_id: itemIdOf(random.below(size.items)),
      ts: Date.now(),
      event_type: 'buy',
    }));
  const loop = (async () => {
    while (!stopped) {
      const { event_dataset_id } = project;
      await service.ok('POST', '/upsert-dataset-events', { event_dataset_id, events: batch(batchSize) });
      await delay(Math.max(0, startedMs + ((eventsSent - first) / perSec) * 1000 - performance.now()));
    }
  })();
  return {
    async stop() {
      stopped = true;
      const seconds = (performance.now() - startedMs) / 1000;
      await loop;
      return (eventsSent - first) / seconds;
    },
  };
}

/** From the acknowledgement of an event to the response of the first call that knows it. */
async function measureFreshness({ service, project }: Stage): Promise<void> {
  const tries = quick ? 50 : 500;
  const latenciesMs: number[] = [];
  let late = 0;
  for (let n = 0; n < tries; n++) {
    const user_id = `fresh-${n}`;
    const { results } = await service.ok('POST', PATH, { user_id, limit: 1 });
    const item_id = results[0].item.item_id;
    await service.ok('POST', '/upsert-dataset-events', {
      event_dataset_id: project.event_dataset_id,
      events: [{ event_id: `fresh-${n}`, user_id, item_id, ts: Date.now(), event_type: 'buy' }],
    });
    const acknowledgedMs = performance.now();
    for (;;) {
      const response = await service.ok('POST', PATH, { user_id, limit: 1 });
      if (response.results[0].item.item_id !== item_id) break;
      late++;
    }
    latenciesMs.push(performance.now() - acknowledgedMs);
  }
  latenciesMs.sort((a, b) => a - b);
  report({
    bench: 'serve',
    what: 'from an acknowledged event to a response that reflects it',
    ratio: null,
    base: '',
    figures: `p99 ${ms(percentile(latenciesMs, 0.99))}, p50 ${ms(percentile(latenciesMs, 0.5))}; calls that did not know it: ${late} of ${tries}`,
    bar: 'the very next call knows it',
    met: late === 0,
  });
}

async function measureFilters(stage: Stage, items: number): Promise<void> {
  const plain = await load(stage);
  for (const [share, filter_query] of [
    ['50%', 'half = 0'],
    ['1%', 'hundredth = 0'],
    ['0.01%', 'rare = 0'],
  ]) {
    const filtered = await load(stage, { extra: { filter_query } });
    report({
      bench: 'serve',
      what: `calls per second with a filter that keeps ${share} of ${items} items`,
      ratio: filtered.perSecond / plain.perSecond,
      base: 'without a filter',
      figures: `${rate([filtered])}; without ${rate([plain])}`,
    });
  }
}

async function measureGrowth(size: MadeSize): Promise<void> {
  await withStage(size, {}, async (stage) => {
    const result = await load(stage);
    report({
      bench: 'serve',
      what: `recommendation calls, ${size.users} users, ${size.items} items with ${neighborsOf(size.items)} neighbors in each expert`,
      ratio: null,
      base: '',
      figures: rate([result]),
    });
    if (size.items >= 100_000) await measureFilters(stage, size.items);
  });
}

interface LoadChange {
  url?: string;
  connections?: number;
  seconds?: number;
  calls?: number;
  extra?: object;
  body?: (stage: Stage) => object;
}

async function load(stage: Stage, change: LoadChange = {}): Promise<LoadResult> {
  const { url, connections, extra, calls, seconds = SECONDS, body = anyUser } = change;
  return runLoad({
    url: url ?? `${stage.service.baseUrl}${PATH}`,
    headers: stage.headers,
    connections,
    seconds,
    calls,
    body: () => ({ ...body(stage), ...extra }),
  });
}

const perSecond = (result: LoadResult): number => result.perSecond;
const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const ms = (value: number): string => `${value.toFixed(2)} ms`;
const rate = (results: LoadResult[]): string =>
  `${mean(results.map(perSecond)).toFixed(0)}/s, ${mean(results.map(({ cpuUs }) => cpuUs)).toFixed(0)} µs of processor time per call, p50 ${ms(mean(results.map(({ p50Ms }) => p50Ms)))}, p99 ${ms(mean(results.map(({ p99Ms }) => p99Ms)))}`;

await main();
