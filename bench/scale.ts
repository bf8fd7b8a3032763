// How everything grows with the number of events: `npm run bench -- scale`, or `node bench/scale.ts --sizes 1,10` (millions).
// `--only=training` measures training alone, of 200,000 items within 8 GB, at sizes that would take long to fill a store with; with
// `--steps` it prints what each step takes, and the folder KINDRED_BENCH_CACHE keeps the made events. Otherwise a real service on SQLite holds made events; training, deployment, recommendations and querying go over its API. Most events
// are put into the file at once; the last ones go in by the store's own writer and over HTTP, which tells how fast a store of
// that size takes them. Every measure is held against the size before, with the exponent it grows by (1: in step with the events).
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { EventTable } from '../src/dataset/event-table.ts';
import { newDataDir, type ServiceProcess, startServiceProcess } from '../test/support/service.ts';
import { ended, succeed } from '../test/support/taste-project.ts';
import { madeEvents } from './made-events.ts';
import { quick, report } from './report.ts';
import { measureTraining } from './scale/measure-training.ts';
import { arrivalOf, createProject, plant, type Stage, write } from './scale/stage.ts';
import { percentile } from './serve/load.ts';

const RECOMMENDATIONS = 2000;
const MAX_ITEMS = 50_000;
const EVENTS_PER_USER = 20;

const { values: flags } = parseArgs({
  options: {
    sizes: { type: 'string' },
    only: { type: 'string' },
    quick: { type: 'boolean' },
    steps: { type: 'boolean' },
  },
});
const onlyTraining = flags.only === 'training';
const usual = quick ? '0.005,0.01' : onlyTraining ? '1,10,50,100' : '1,10,50';
const sizes = (flags.sizes ?? usual).split(',').map((millions) => Math.round(Number(millions) * 1e6));

interface Measures {
  events: number;
  users: number;
  items: number;
  writerPerSec: number;
  httpPerSec: number;
  trainSeconds: number;
  trainPhases: Record<string, number>;
  trainPeakMb: number;
  modelMb: number;
  storeMb: number;
  deploySeconds: number;
  p50Ms: number;
  p99Ms: number;
  querySeconds: number;
}

async function measure(size: number): Promise<Measures> {
  const items = Math.min(MAX_ITEMS, Math.round(size / EVENTS_PER_USER));
  const table = madeEvents(size, Math.round(size / EVENTS_PER_USER), items);
  const settings = { KINDRED_DATA_DIR: await newDataDir(), KINDRED_ROLES: 'api,worker', KINDRED_LOG_LEVEL: 'warn' };
  let service = await startServiceProcess(settings);
  try {
    const stage = await createProject(service, table);
    await service.terminate();
    const arrival = arrivalOf(table);
    plant(service.dataDir, stage, arrival);
    service = await startServiceProcess(settings);
    const written = await write(service, stage, arrival);
    const { project_id } = stage;
    const { algorithm_id } = await service.ok('POST', '/create-algorithm', {
      project_id,
      name: 'default',
      algorithm_type: 'G1',
    });
    const trained = await succeed(service, '/submit-training-job', { project_id, algorithm_id });
    const { model_id } = trained.job_result;
    const model = await service.ok('GET', '/get-model', { project_id, model_id });
    const deployed = await succeed(service, '/submit-deployment-job', {
      project_id,
      generator_model_id: model_id,
      qps: 10_000,
    });
    const asked = await ask(service, stage, table);
    const queried = await query(service, stage, model_id);
    return {
      events: table.length,
      users: table.userCount,
      items,
      ...written,
      trainSeconds: secondsOf(trained),
      trainPhases: model.training.seconds,
      trainPeakMb: model.training.peak_memory_mb,
      modelMb: (await bytesUnder(join(service.dataDir, 'artifacts', 'models'))) / 1e6,
      storeMb: (await bytesUnder(service.dataDir)) / 1e6,
      deploySeconds: secondsOf(deployed),
      ...asked,
      querySeconds: secondsOf(queried),
    };
  } finally {
    await service.terminate();
    await rm(settings.KINDRED_DATA_DIR, { recursive: true, force: true });
  }
}

/** One call after the other, each for another user: what a call takes, not how many fit in. */
async function ask(
  service: ServiceProcess,
  { project_id }: Stage,
  table: EventTable,
): Promise<{ p50Ms: number; p99Ms: number }> {
  const path = `/projects/${project_id}/recommend-items-to-user`;
  const timesMs: number[] = [];
  const calls = Math.min(RECOMMENDATIONS, table.userCount);
  for (let call = 0; call < calls + 200; call++) {
    const user_id = `u${(call * 7919) % table.userCount}`;
    const startedMs = performance.now();
    const { results } = await service.ok('POST', path, { user_id });
    if (results.length !== 10) throw new Error(`${results.length} items for ${user_id}`);
    // The first calls warm up.
    if (call >= 200) timesMs.push(performance.now() - startedMs);
  }
  timesMs.sort((a, b) => a - b);
  return { p50Ms: percentile(timesMs, 0.5), p99Ms: percentile(timesMs, 0.99) };
}

async function query(service: ServiceProcess, { project_id }: Stage, model_id: string) {
  const { job_id } = await service.ok('POST', '/submit-querying-job', {
    project_id,
    model_id,
    query_type: 'user_list',
    queries: [{ conditions: [{ attribute: 'genre', value: 'genre-3', lower_bound: 0.2, upper_bound: null }] }],
  });
  const job = await ended(service, project_id, job_id);
  if (job.job_status !== 'SUCCEED') throw new Error(JSON.stringify(job));
  return job;
}

const secondsOf = (job: { started_ts: number; finished_ts: number }): number =>
  (job.finished_ts - job.started_ts) / 1000;

async function bytesUnder(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size;
  }
  return bytes;
}

const millions = (events: number): string => `${(events / 1e6).toPrecision(3)} M events`;

function tell(now: Measures, before: Measures | undefined): void {
  const base = before ? millions(before.events) : '';
  const grown = (what: string, of: (measures: Measures) => number, figures: string, bar: object = {}): void => {
    const ratio = before ? of(now) / of(before) : null;
    const exponent = before ? Math.log(ratio!) / Math.log(now.events / before.events) : null;
    report({
      bench: 'scale',
      what: `${what}, ${millions(now.events)}`,
      ratio,
      base,
      figures: exponent === null ? figures : `${figures}; exponent ${exponent.toFixed(2)}`,
      ...bar,
    });
  };
  const { events, users, items, trainSeconds, trainPeakMb } = now;
  const phases = Object.entries(now.trainPhases).map(([phase, seconds]) => `${phase} ${seconds.toFixed(0)}`);
  grown(
    "microseconds to write one more event, by the store's writer",
    ({ writerPerSec }) => 1e6 / writerPerSec,
    `${Math.round(now.writerPerSec)} events/s`,
  );
  grown(
    'microseconds to write one more event over HTTP',
    ({ httpPerSec }) => 1e6 / httpPerSec,
    `${Math.round(now.httpPerSec)} events/s`,
  );
  grown('store on disk', ({ storeMb }) => storeMb, `${now.storeMb.toFixed(0)} MB with models`);
  const isBarSize = Math.round(events / 1e6) === 10;
  grown(
    `training job of ${users} users with ${items} items`,
    (measures) => measures.trainSeconds,
    `${trainSeconds.toFixed(0)} s (${phases.join(', ')})`,
    isBarSize && before
      ? {
          bar: 'under 600 s, at most 12-fold',
          met: trainSeconds < 600 && trainSeconds / before.trainSeconds <= 12,
        }
      : {},
  );
  grown(
    'peak memory of the worker that trained',
    (measures) => measures.trainPeakMb,
    `${trainPeakMb} MB`,
    isBarSize ? { bar: 'under 8 GB', met: trainPeakMb < 8000 } : {},
  );
  grown('model file', ({ modelMb }) => modelMb, `${now.modelMb.toFixed(0)} MB`);
  grown('deployment job', ({ deploySeconds }) => deploySeconds, `${now.deploySeconds.toFixed(1)} s`);
  grown('recommendation call over HTTP, median', ({ p50Ms }) => p50Ms, `${now.p50Ms.toFixed(2)} ms`);
  grown('recommendation call over HTTP, p99', ({ p99Ms }) => p99Ms, `${now.p99Ms.toFixed(2)} ms`);
  grown(
    'querying job over all users',
    ({ querySeconds }) => querySeconds,
    `${now.querySeconds.toFixed(1)} s, ${Math.round(users / now.querySeconds)} users/s`,
  );
}

if (onlyTraining) measureTraining(sizes, { keep: process.env.KINDRED_BENCH_CACHE, steps: flags.steps });
else {
  let before: Measures | undefined;
  for (const size of sizes) {
    const now = await measure(size);
    tell(now, before);
    before = now;
  }
}
