// npm run bench -- import: `kindred import` of events from CSV files, a process of its own that reads, parses and sends, against
// the same events as ready-made request bodies over as many connections. Both go to one service, turn by turn, so that what
// else the machine does strikes both alike.
//
//   npm run bench -- import [--quick]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type ServiceProcess, startServiceProcess } from '../test/support/service.ts';
import { eventStream } from './event-stream.ts';
import { quick, report } from './report.ts';

const TOTAL = quick ? 100_000 : 1_000_000;
const TURNS = 2;
const BATCH = 1000;
/** Into another dataset, so that the service's code is compiled when it is timed. */
const WARM_UP = 40_000;
const CONNECTIONS = 8;
const SHARDS = 100;
const BAR = 1.3;

interface Effort {
  seconds: number;
  /** of the service and of what sends */
  cpuSeconds: number;
}

const folder = await mkdtemp(join(tmpdir(), 'kindred-bench-import-'));
const service = await startServiceProcess({ KINDRED_LOG_LEVEL: 'warn' });
try {
  const [warmUp, ready, imported] = await Promise.all(['warm-up', 'ready-made', 'imported'].map(makeDataset));
  await sendReadyMade(makeBodies(warmUp, 0, WARM_UP));
  const readyMade: Effort = { seconds: 0, cpuSeconds: 0 };
  const importing: Effort = { seconds: 0, cpuSeconds: 0 };
  for (let turn = 0; turn < TURNS; turn++) {
    const [from, to] = [(turn * TOTAL) / TURNS, ((turn + 1) * TOTAL) / TURNS];
    const bodies = makeBodies(ready, from, to);
    const cpuBefore = process.cpuUsage();
    await timed(readyMade, async () => {
      await sendReadyMade(bodies);
      const { user, system } = process.cpuUsage(cpuBefore);
      return (user + system) / 1e6;
    });
    const file = join(folder, `events-${turn}.csv`);
    await pipeline(Readable.from(csvLines(from, to)), createWriteStream(file));
    await timed(importing, () => importFile(file, imported));
  }
  await Promise.all([ready, imported].map(requireAll));
  const ratio = importing.seconds / readyMade.seconds;
  report({
    bench: 'import',
    what: `kindred import of ${TOTAL.toLocaleString('en-US')} events from CSV`,
    ratio,
    base: 'the time of ready-made bodies over HTTP',
    figures:
      `${importing.seconds.toFixed(1)} s (${Math.round(TOTAL / importing.seconds)} events/s) against ` +
      `${readyMade.seconds.toFixed(1)} s; CPU ${importing.cpuSeconds.toFixed(1)} s against ${readyMade.cpuSeconds.toFixed(1)} s`,
    bar: `at most ${BAR}`,
    met: ratio <= BAR,
  });
} finally {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
}

/** `work` returns the CPU seconds of the sender. */
async function timed(effort: Effort, work: () => Promise<number>): Promise<void> {
  const started = performance.now();
  const cpuBefore = cpuSecondsOf(service);
  const cpuSending = await work();
  effort.seconds += (performance.now() - started) / 1000;
  effort.cpuSeconds += cpuSending + cpuSecondsOf(service) - cpuBefore;
}

/** User and system time of the service's process, as Linux counts it in hundredths. */
function cpuSecondsOf({ child }: ServiceProcess): number {
  try {
    const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1].split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return Number.NaN;
  }
}

async function makeDataset(name: string): Promise<string> {
  return (await service.ok('POST', '/create-event-dataset', { name, num_shards: SHARDS })).event_dataset_id;
}

async function requireAll(event_dataset_id: string): Promise<void> {
  const { num_records } = await service.ok('GET', '/get-event-dataset', { event_dataset_id });
  if (num_records !== TOTAL) throw new Error(`${num_records} of ${TOTAL} events are there`);
}

function* events(from: number, to: number) {
  const make = eventStream(TOTAL, { seed: from + 1 });
  for (let index = from; index < to; index++) yield make(index);
}

function* csvLines(from: number, to: number): Generator<string> {
  yield 'event_id,user_id,item_id,ts,event_type,event_value,device,session\n';
  for (const { attributes, ...event } of events(from, to)) {
    yield `${[...Object.values(event), ...Object.values(attributes)].join(',')}\n`;
  }
}

function makeBodies(event_dataset_id: string, from: number, to: number): Buffer[] {
  const bodies: Buffer[] = [];
  let batch = [];
  for (const event of events(from, to)) {
    if (batch.push(event) < BATCH) continue;
    bodies.push(Buffer.from(JSON.stringify({ event_dataset_id, events: batch })));
    batch = [];
  }
  return bodies.reverse();
}

async function sendReadyMade(bodies: Buffer[]): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const headers = {
    authorization: `Bearer ${await service.token()}`,
    apikey: service.credentials.api_key,
    'content-type': 'application/json',
  };
  const send = async () => {
    for (let body = bodies.pop(); body; body = bodies.pop()) {
      const call = request(`${service.baseUrl}/upsert-dataset-events`, { method: 'POST', agent, headers }).end(body);
      const [response] = await once(call, 'response');
      if (response.statusCode !== 200) throw new Error(`the response was ${response.statusCode}`);
      response.resume();
      await once(response, 'end');
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, send));
  agent.destroy();
}

/** Returns the command's CPU seconds, which it writes last. */
async function importFile(file: string, dataset: string): Promise<number> {
  const tellCpu =
    'process.on("exit", () => { const { user, system } = process.cpuUsage(); process._rawDebug((user + system) / 1e6); });';
  const args = ['--import', `data:text/javascript,${encodeURIComponent(tellCpu)}`, 'src/main.ts', 'import', file];
  const flags = ['--json', '--dataset', dataset, '--data-dir', service.dataDir, '--parallel', String(CONNECTIONS)];
  const child = spawn(process.execPath, [...args, ...flags], { stdio: ['ignore', 'ignore', 'pipe'] });
  const [told, [code]] = await Promise.all([child.stderr.toArray(), once(child, 'exit')]);
  const lines = told.join('').trim().split('\n');
  if (code !== 0) throw new Error(`the import ended with ${code}: ${lines.join(' ')}`);
  return Number(lines.at(-1));
}
