// npm run bench:import: `kindred import` of events from a CSV file, a process of its own that reads, parses and sends, against
// the same events as ready-made request bodies over as many connections, in the same run.
//
//   npm run bench:import -- [--quick]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { startServiceProcess } from '../test/support/service.ts';
import { eventStream } from './event-stream.ts';
import { quick, report } from './report.ts';

const TOTAL = quick ? 100_000 : 1_000_000;
const BATCH = 1000;
const CONNECTIONS = 8;
const BAR = 1.3;

const folder = await mkdtemp(join(tmpdir(), 'kindred-bench-import-'));
const file = join(folder, 'events.csv');
try {
  await pipeline(Readable.from(csvLines()), createWriteStream(file));
  const readyMade = await secondsOfReadyMade();
  const imported = await secondsOfImport();
  report({
    bench: 'import',
    what: `kindred import of ${TOTAL.toLocaleString('en-US')} events from CSV`,
    ratio: imported / readyMade,
    base: 'the time of ready-made bodies over HTTP',
    figures: `${imported.toFixed(1)} s (${Math.round(TOTAL / imported)} events/s) beside ${readyMade.toFixed(1)} s`,
    bar: `at most ${BAR}`,
    met: imported / readyMade <= BAR,
  });
} finally {
  await rm(folder, { recursive: true, force: true });
}

function* csvLines(): Generator<string> {
  const make = eventStream(TOTAL);
  yield 'event_id,user_id,item_id,ts,event_type,event_value,device,session\n';
  for (let from = 0; from < TOTAL; from += BATCH) {
    let lines = '';
    for (let index = from; index < from + BATCH; index++) {
      const { attributes, ...event } = make(index);
      lines += `${[...Object.values(event), ...Object.values(attributes)].join(',')}\n`;
    }
    yield lines;
  }
}

async function secondsOfReadyMade(): Promise<number> {
  const service = await startServiceProcess({ KINDRED_LOG_LEVEL: 'warn' });
  try {
    const { event_dataset_id } = await service.ok('POST', '/create-event-dataset', { name: 'bench', num_shards: 100 });
    const make = eventStream(TOTAL);
    const bodies: Buffer[] = [];
    for (let from = 0; from < TOTAL; from += BATCH) {
      const events = Array.from({ length: BATCH }, (_, index) => make(from + index));
      bodies.push(Buffer.from(JSON.stringify({ event_dataset_id, events })));
    }
    bodies.reverse();
    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
    const headers = {
      authorization: `Bearer ${await service.token()}`,
      apikey: service.credentials.api_key,
      'content-type': 'application/json',
    };
    const started = performance.now();
    const send = async () => {
      for (let body = bodies.pop(); body; body = bodies.pop()) {
        const call = request(`${service.baseUrl}/upsert-dataset-events`, { method: 'POST', agent, headers }).end(body);
        const [answer] = await once(call, 'response');
        if (answer.statusCode !== 200) throw new Error(`answered ${answer.statusCode}`);
        answer.resume();
        await once(answer, 'end');
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, send));
    const seconds = (performance.now() - started) / 1000;
    agent.destroy();
    return seconds;
  } finally {
    await service.stop();
  }
}

async function secondsOfImport(): Promise<number> {
  const service = await startServiceProcess({ KINDRED_LOG_LEVEL: 'warn' });
  try {
    const args = ['src/main.ts', 'import', file, '--json', '--num-shards', '100', '--data-dir', service.dataDir];
    const started = performance.now();
    const child = spawn(process.execPath, [...args, '--parallel', String(CONNECTIONS)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const output = (await child.stdout.toArray()).join('');
    const seconds = (performance.now() - started) / 1000;
    const { succeeded } = JSON.parse(output).files[0];
    if (succeeded !== TOTAL) throw new Error(`${succeeded} of ${TOTAL} events are there`);
    return seconds;
  } finally {
    await service.stop();
  }
}
