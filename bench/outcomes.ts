// `npm run bench -- outcomes`: what counting outcomes costs beside the same without it, in one run, and how long a report takes
// over the counters of 50 million events.
//
//   npm run bench -- outcomes [--quick] [--only=serve|ingest|report]
import { setTimeout as delay } from 'node:timers/promises';
import { answerSecret } from '../src/outcomes/recommendation-id.ts';
import { openStore } from '../src/store/open-store.ts';
import { freshPostgres, stopPostgres } from '../test/support/postgres.ts';
import { newDataDir, type ServiceProcess, startServiceProcess } from '../test/support/service.ts';
import { type Lane, measureLanes } from './outcomes/attributed-ingest.ts';
import { plantCounters } from './outcomes/plant-counters.ts';
import { quick, report } from './report.ts';
import { type LoadResult, percentile, runLoad } from './serve/load.ts';
import { type MadeSize, userIdOf } from './serve/made-project.ts';
import { PATH, withStage } from './serve/stage.ts';

const SECONDS = quick ? 1 : 4;
const ROUNDS = quick ? 2 : 5;
const INGEST = quick ? { rounds: 2, events: 10_000 } : { rounds: 4, events: 40_000 };
const SIZE: MadeSize = { users: 10_000, items: 20_000, eventsPerUser: 20 };
const REGULARS = 2000;
const BAR = 0.95;
const REPORT_BAR_MS = 50;
const only = process.argv.find((word) => word.startsWith('--only='))?.slice('--only='.length);

const LANES: readonly Lane[] = [
  { name: 'no ids', share: 0, hasImpressions: false },
  { name: 'one event in five carries an id', share: 0.2, hasImpressions: false },
  { name: 'the same after impressions, so that every event may be assisted', share: 0.2, hasImpressions: true },
  { name: 'every event carries an id', share: 1, hasImpressions: false },
];

if (only === undefined || only === 'serve') await measureServing();
if (only === undefined || only === 'ingest') {
  await measureIngest('SQLite', null);
  const { url, drop } = await freshPostgres();
  await measureIngest('PostgreSQL', url);
  await drop();
  await stopPostgres();
}
if (only === undefined || only === 'report') await measureReport();

async function measureServing(): Promise<void> {
  const hook = new URL('./outcomes/uncounted.ts', import.meta.url).href;
  await withStage(SIZE, { NODE_OPTIONS: `--import ${hook}` }, async ({ service, headers }) => {
    let n = 0;
    const url = `${service.baseUrl}${PATH}`;
    const load = (seconds: number) =>
      runLoad({ url, headers, seconds, body: () => ({ user_id: userIdOf(n++ % REGULARS), limit: 10 }) });
    const loads: Record<'counted' | 'plain', LoadResult[]> = { counted: [], plain: [] };
    await load(2 * SECONDS);
    // Turn by turn, and each goes first as often as the other: the one that was last begins the next round.
    for (let round = 0; round < 2 * ROUNDS; round++) {
      const order = round % 2 === 0 ? (['counted', 'plain'] as const) : (['plain', 'counted'] as const);
      loads[order[0]].push(await load(SECONDS));
      await switchCounting(service);
      loads[order[1]].push(await load(SECONDS));
    }
    const rate = (some: LoadResult[]) => median(some.map(({ perSecond }) => perSecond));
    const cost = (some: LoadResult[]) => median(some.map(({ cpuUs }) => cpuUs));
    const ratio = rate(loads.counted) / rate(loads.plain);
    report({
      ...{ bench: 'outcomes', what: 'recommendation calls per second with served lists counted, users who call again' },
      ...{ ratio, base: 'the same process without counting' },
      figures: `${rate(loads.counted).toFixed(0)}/s against ${rate(loads.plain).toFixed(0)}/s; processor time of a call ${cost(loads.counted).toFixed(0)} µs against ${cost(loads.plain).toFixed(0)} µs`,
      ...{ bar: `at least ${BAR}`, met: ratio >= BAR },
    });
  });
}

async function switchCounting(service: ServiceProcess): Promise<void> {
  service.child.kill('SIGUSR2');
  await delay(50);
}

async function measureIngest(database: string, databaseUrl: string | null): Promise<void> {
  const dataDir = await newDataDir();
  const service = await startServiceProcess({
    ...{ KINDRED_DATA_DIR: dataDir, KINDRED_LOG_LEVEL: 'warn' },
    ...(databaseUrl && { KINDRED_DATABASE_URL: databaseUrl }),
  });
  try {
    const store = await openStore({ dataDir, databaseUrl });
    const secret = await answerSecret(store.accounts);
    await store.close();
    const [plain, ...others] = await measureLanes(service, secret, LANES, INGEST);
    for (const [n, { name, perSec }] of others.entries()) {
      const ratio = perSec / plain.perSec;
      report({
        ...{ bench: 'outcomes', what: `events per second into ${database}: ${name}` },
        ...{ ratio, base: 'the same events without ids' },
        figures: `${perSec.toFixed(0)}/s against ${plain.perSec.toFixed(0)}/s`,
        ...(n === 0 && { bar: `at least ${BAR}`, met: ratio >= BAR }),
      });
    }
  } finally {
    await service.stop();
  }
}

async function measureReport(): Promise<void> {
  const dataDir = await newDataDir();
  const service = await startServiceProcess({ KINDRED_DATA_DIR: dataDir, KINDRED_LOG_LEVEL: 'warn' });
  try {
    const planted = await plantCounters(service, { dataDir, days: 400, placements: 12 });
    for (const [what, query] of [
      ['30 days by day', {}],
      ['31 days by hour, one placement', { by: 'hour', placement: 'placement-3', days: 31 }],
      ['400 days by day, one placement', { days: 400, placement: 'placement-3' }],
      ['400 days, totals', { by: 'total', days: 400 }],
    ] as const) {
      const { days = 30, ...rest } = query as { days?: number };
      const from_ts = planted.toMs - days * 86_400_000;
      const timesMs: number[] = [];
      for (let call = 0; call < (quick ? 5 : 40); call++) {
        const startedMs = performance.now();
        const asked = { project_id: planted.projectId, from_ts, to_ts: planted.toMs, ...rest };
        await service.ok('GET', '/get-placement-report', asked);
        timesMs.push(performance.now() - startedMs);
      }
      timesMs.sort((a, b) => a - b);
      const [p50, p99] = [0.5, 0.99].map((share) => percentile(timesMs, share));
      report({
        ...{ bench: 'outcomes', what: `a report of ${what}, ${planted.events} events in 12 placements and 400 days` },
        ...{ ratio: null, base: '', figures: `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms` },
        ...{ bar: `under ${REPORT_BAR_MS} ms`, met: p50 < REPORT_BAR_MS },
      });
    }
  } finally {
    await service.stop();
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}
