// npm run bench -- ingest: events acknowledged a second over HTTP, into a growing dataset, divided by what the database takes
// from a program that does nothing else (bare-insert.ts), in the same run. Also: peak memory of the service, its
// event-loop delay, and how long another call takes meanwhile.
//
//   npm run bench -- ingest [--quick] [--only=sqlite|postgres]
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { freshPostgres } from '../test/support/postgres.ts';
import { type ServiceProcess, startServiceProcess } from '../test/support/service.ts';
import { barePostgresCopy, bareSqliteInsert } from './bare-insert.ts';
import { eventStream } from './event-stream.ts';
import { quick, report } from './report.ts';

const TOTAL = quick ? 50_000 : 1_000_000;
/** Into another dataset, so that the service's code is compiled when it is timed. */
const WARM_UP = quick ? 20_000 : 40_000;
const BATCH = 1000;
const CONNECTIONS = 8;
const SHARDS = 100;
const only = process.argv.find((word) => word.startsWith('--only='))?.slice('--only='.length);

interface Ingestion {
  perSec: number;
  neighborP99Ms: number;
  eventLoopP99Ms: number;
  peakMb: number;
}

async function ingest(env: Record<string, string>, gzip: boolean): Promise<Ingestion> {
  const service = await startServiceProcess({ KINDRED_LOG_LEVEL: 'warn', ...env });
  try {
    const { event_dataset_id } = await service.ok('POST', '/create-event-dataset', {
      name: 'bench',
      num_shards: SHARDS,
    });
    const headers = {
      authorization: `Bearer ${await service.token()}`,
      apikey: service.credentials.api_key,
      'content-type': 'application/json',
      ...(gzip ? { 'content-encoding': 'gzip' } : {}),
    };
    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
    const warmUp = await service.ok('POST', '/create-event-dataset', { name: 'warm-up', num_shards: SHARDS });
    await send(service, agent, headers, makeBodies(warmUp.event_dataset_id, gzip, WARM_UP));
    const bodies = makeBodies(event_dataset_id, gzip, TOTAL);
    await figure(service, 'nodejs_eventloop_lag_p99_seconds'); // starts a new window

    let finished = false;
    const neighbor = watchNeighbor(service, event_dataset_id, () => finished);
    const started = performance.now();
    await send(service, agent, headers, bodies);
    const seconds = (performance.now() - started) / 1000;
    finished = true;
    const eventLoopP99Ms = (await figure(service, 'nodejs_eventloop_lag_p99_seconds')) * 1000;
    agent.destroy();
    const { num_records } = await service.ok('GET', '/get-event-dataset', { event_dataset_id });
    if (num_records !== TOTAL) throw new Error(`${num_records} of ${TOTAL} events are there`);
    return {
      perSec: TOTAL / seconds,
      neighborP99Ms: await neighbor,
      eventLoopP99Ms,
      peakMb: peakMb(service.child.pid!),
    };
  } finally {
    await service.stop();
  }
}

async function send(
  service: ServiceProcess,
  agent: Agent,
  headers: Record<string, string>,
  bodies: Buffer[],
): Promise<void> {
  const url = `${service.baseUrl}/upsert-dataset-events`;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      for (let body = bodies.pop(); body; body = bodies.pop()) await post(url, agent, headers, body);
    }),
  );
}

/** Newest batch first, as they are popped from the end. */
function makeBodies(event_dataset_id: string, gzip: boolean, total: number): Buffer[] {
  // Of the last days, so that they are counted for top lists too.
  const make = eventStream(total, { startMs: Date.now() - total * 1000 });
  const bodies: Buffer[] = [];
  for (let from = 0; from < total; from += BATCH) {
    const events = Array.from({ length: BATCH }, (_, i) => make(from + i));
    const json = Buffer.from(JSON.stringify({ event_dataset_id, events }));
    bodies.push(gzip ? gzipSync(json, { level: 6 }) : json);
  }
  return bodies.reverse();
}

function post(url: string, agent: Agent, headers: Record<string, string>, body: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const call = request(
      url,
      { method: 'POST', agent, headers: { ...headers, 'content-length': body.length } },
      (response) => {
        response.resume();
        response.on('end', () =>
          response.statusCode === 200 ? resolve() : reject(new Error(`the response was ${response.statusCode}`)),
        );
      },
    );
    call.on('error', reject);
    call.end(body);
  });
}

async function watchNeighbor(
  service: ServiceProcess,
  event_dataset_id: string,
  isOver: () => boolean,
): Promise<number> {
  const timesMs: number[] = [];
  while (!isOver()) {
    const started = performance.now();
    await service.ok('GET', '/get-event-dataset', { event_dataset_id });
    timesMs.push(performance.now() - started);
    await sleep(20);
  }
  return timesMs.sort((a, b) => a - b)[Math.floor(timesMs.length * 0.99)];
}

async function figure(service: ServiceProcess, name: string): Promise<number> {
  const { body } = await service.call('GET', '/metrics', undefined, { anonymous: true });
  return Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(body)?.[1] ?? Number.NaN);
}

/** The most memory the process has had, as Linux counts it. */
function peakMb(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;
  } catch {
    return Number.NaN;
  }
}

function tell(
  { database, gzip }: { database: string; gzip: boolean },
  base: { name: string; perSec: number },
  bar: number,
  run: Ingestion,
): void {
  report({
    bench: 'ingest',
    what: `events over HTTP into ${database}, ${gzip ? 'gzip' : 'plain'}`,
    ratio: run.perSec / base.perSec,
    base: base.name,
    figures:
      `${Math.round(run.perSec)} of ${Math.round(base.perSec)} events/s; peak memory ${Math.round(run.peakMb)} MB; ` +
      `event-loop delay p99 ${run.eventLoopP99Ms.toFixed(1)} ms`,
    bar: `at least ${bar}`,
    met: run.perSec / base.perSec >= bar,
  });
  report({
    bench: 'ingest',
    what: `/get-event-dataset at the same time (${database}, ${gzip ? 'gzip' : 'plain'}), p99`,
    ratio: null,
    base: '',
    figures: `${run.neighborP99Ms.toFixed(1)} ms`,
    bar: 'under 50 ms',
    met: run.neighborP99Ms < 50,
  });
}

if (only !== 'postgres') {
  const base = { name: 'bare SQLite insert', perSec: bareSqliteInsert(TOTAL) };
  for (const gzip of [false, true]) tell({ database: 'SQLite', gzip }, base, 0.6, await ingest({}, gzip));
}
if (only !== 'sqlite') {
  const bare = await freshPostgres({ durable: true });
  const base = { name: 'bare PostgreSQL COPY', perSec: await barePostgresCopy(bare.url, TOTAL) };
  await bare.drop();
  for (const gzip of [false, true]) {
    const database = await freshPostgres({ durable: true });
    tell({ database: 'PostgreSQL', gzip }, base, 0.4, await ingest({ KINDRED_DATABASE_URL: database.url }, gzip));
    await database.drop();
  }
}
