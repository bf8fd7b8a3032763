import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { startS3Server } from '../../test/support/s3-server.ts';
import { startScriptedServer } from '../../test/support/scripted-server.ts';
import { Kindred } from '../client/index.ts';
import { runCommand } from './command.ts';
import { connect } from './connection.ts';
import { importFiles, summaryText } from './import.ts';
import type { ImportedFile } from './import-file.ts';
import { type ImportFlags, prepare } from './import-prepare.ts';

process.env.AWS_ACCESS_KEY_ID ??= 'test';
process.env.AWS_SECRET_ACCESS_KEY ??= 'test';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'kindred-import-'));
  cleanUps.push(() => rmSync(path, { recursive: true }));
  return path;
}

/** A stand-in for the service that stores what it is sent, and refuses calls when told to. */
async function storingService() {
  const events: { event_id: string }[] = [];
  const service = { events, calls: 0, datasets: 0, failAfterCalls: Number.POSITIVE_INFINITY };
  const server = await startScriptedServer((asked) => {
    if (asked.path === '/oauth2/token') return { body: { access_token: 't', expires_in: 3600 } };
    if (asked.path === '/create-event-dataset') return { body: { event_dataset_id: `eds_${++service.datasets}` } };
    service.calls += 1;
    if (service.calls > service.failAfterCalls)
      return { status: 500, body: { code: 'INTERNAL_ERROR', detail: 'down' } };
    const batch = JSON.parse(asked.body).events as { event_id: string; item_id: string }[];
    const failures = batch.flatMap(({ event_id, item_id }, index) =>
      item_id === 'bad' ? [{ index, id: event_id, code: 'INVALID_RECORD', message: 'bad item' }] : [],
    );
    const stored = batch.filter(({ item_id }) => item_id !== 'bad');
    events.push(...stored);
    return {
      body: {
        succeed_ids: stored.map(({ event_id }) => event_id),
        failed_ids: failures.map(({ id }) => id),
        failures,
      },
    };
  });
  cleanUps.push(server.close);
  const kindred = new Kindred({ baseUrl: server.baseUrl, apiKey: 'k', clientSecret: 's', retry: { maxRetries: 0 } });
  return { service, kindred };
}

const FLAGS: ImportFlags = { parallel: 2, json: true };

/** Progress messages of the last run. */
let said: string[] = [];

async function runAll(
  paths: string[],
  kindred: Kindred,
  flags: Partial<ImportFlags> = {},
  signal = new AbortController().signal,
): Promise<ImportedFile[]> {
  let files: ImportedFile[] = [];
  said = [];
  const speaker = {
    json: true,
    width: 80,
    say: (text: string) => said.push(text),
    result(value: { files: ImportedFile[] }) {
      files = value.files;
    },
  };
  const exitCode = process.exitCode;
  await importFiles(paths, {
    flags: { ...FLAGS, ...flags },
    speaker: speaker as never,
    kindred: () => kindred,
    signal,
  });
  process.exitCode = exitCode;
  return files;
}

async function run(path: string, kindred: Kindred, flags?: Partial<ImportFlags>): Promise<ImportedFile> {
  const [file] = await runAll([path], kindred, flags);
  return file;
}

function csvOf(rows: number, badRows: number[] = []): string {
  const lines = ['user_id,item_id,ts'];
  for (let row = 1; row <= rows; row++) {
    lines.push(badRows.includes(row) ? `u${row},bad,${row}` : `u${row % 50},i${row},${1_700_000_000_000 + row}`);
  }
  return `${lines.join('\n')}\n`;
}

test('an interrupted import continues where it stopped, and no row is stored twice or lost', async () => {
  const dir = folder();
  const path = join(dir, 'events.csv');
  writeFileSync(path, csvOf(9500, [12, 4321, 9400]));
  const { service, kindred } = await storingService();
  service.failAfterCalls = 5;
  await assert.rejects(run(path, kindred, { tsUnit: 'ms' }), { code: 'INTERNAL_ERROR' });
  const storedBefore = service.events.length;
  assert.ok(storedBefore >= 4900 && storedBefore < 9500, `${storedBefore} stored`);
  assert.ok(readdirSync(dir).includes('events.csv.import-state.json'));

  service.failAfterCalls = Number.POSITIVE_INFINITY;
  const result = await run(path, kindred, { tsUnit: 'ms' });
  assert.equal(result.resumed, true);
  assert.deepEqual([result.rows, result.succeeded, result.failed], [9500, 9497, 3]);
  assert.equal(service.events.length, 9497);
  assert.equal(new Set(service.events.map(({ event_id }) => event_id)).size, 9497);
  const failed = readFileSync(join(dir, 'events.csv.failed.jsonl'), 'utf8').trim().split('\n');
  assert.deepEqual(
    failed.map((line) => JSON.parse(line).row).sort((a, b) => a - b),
    [12, 4321, 9400],
  );
  assert.ok(!readdirSync(dir).includes('events.csv.import-state.json'), 'nothing is left to resume');
});

test('an interrupted import of several files continues in the datasets it made, and sends no finished file again', async () => {
  const dir = folder();
  const paths = ['a.csv', 'b.csv'].map((name) => join(dir, name));
  writeFileSync(paths[0], csvOf(500, [7]));
  writeFileSync(paths[1], csvOf(2500));
  const { service, kindred } = await storingService();
  service.failAfterCalls = 2;
  await assert.rejects(runAll(paths, kindred, { tsUnit: 'ms' }), { code: 'INTERNAL_ERROR' });

  service.failAfterCalls = Number.POSITIVE_INFINITY;
  const files = await runAll(paths, kindred, { tsUnit: 'ms' });
  assert.deepEqual(
    files.map(({ dataset_id, rows, succeeded, failed }) => [dataset_id, rows, succeeded, failed]),
    [
      ['eds_1', 500, 499, 1],
      ['eds_2', 2500, 2500, 0],
    ],
  );
  assert.deepEqual([service.datasets, service.events.length], [2, 2999]);
  assert.deepEqual(said.slice(paths.length), [
    `${paths[0]} is already imported. Use --restart to import it again.`,
    `Resuming ${paths[1]} after 1,000 rows.`,
  ]);
  assert.equal(JSON.parse(readFileSync(files[0].failed_rows_file!, 'utf8')).row, 7);
  assert.deepEqual(readdirSync(dir).sort(), ['a.csv', 'a.csv.failed.jsonl', 'b.csv'], 'nothing is left to resume');
});

test('skipped rows of files with the same name are kept for each of them', async () => {
  const [dir, stateDir] = [folder(), folder()];
  const paths = ['2024', '2025'].map((year) => join(dir, year, 'events.csv'));
  paths.forEach((path, index) => {
    mkdirSync(dirname(path));
    writeFileSync(path, csvOf(9, [index + 1]));
  });
  const { kindred } = await storingService();
  const files = await runAll(paths, kindred, { tsUnit: 'ms', stateDir });
  const rows = files.map(({ failed_rows_file }) => JSON.parse(readFileSync(failed_rows_file!, 'utf8')).row);
  assert.deepEqual(rows, [1, 2]);
});

test('an interrupted import from S3 continues where it stopped, unless the file is another one by now', async () => {
  const s3 = await startS3Server('lake');
  cleanUps.push(s3.close);
  s3.objects.set('x.csv', Buffer.from(csvOf(2500)));
  const { service, kindred } = await storingService();
  const flags = { tsUnit: 'ms', stateDir: folder() } as const;
  const failInSecondCall = async () => {
    service.failAfterCalls = service.calls + 1;
    await assert.rejects(run(s3.url('x.csv'), kindred, flags), { code: 'INTERNAL_ERROR' });
    service.failAfterCalls = Number.POSITIVE_INFINITY;
  };
  await failInSecondCall();
  const result = await run(s3.url('x.csv'), kindred, flags);
  assert.deepEqual([result.resumed, result.dataset_id, result.rows], [true, 'eds_1', 2500]);
  assert.equal(result.file, 's3://lake/x.csv');
  assert.match(said[0], /^s3:\/\/lake\/x\.csv: events \(csv\)/);
  assert.equal(said[1], 'Resuming s3://lake/x.csv after 1,000 rows.');
  assert.equal(service.events.length, 2500);

  await failInSecondCall();
  s3.objects.set('x.csv', Buffer.from(csvOf(2500).replaceAll('u1,', 'v1,')));
  assert.equal((await run(s3.url('x.csv'), kindred, flags)).resumed, false);

  s3.lastModified.set('x.csv', new Date('2026-11-01'));
  await failInSecondCall();
  s3.lastModified.set('x.csv', new Date('2026-11-02'));
  assert.equal((await run(s3.url('x.csv'), kindred, flags)).resumed, false);
});

test('rows that cannot be read are written out with the reason, the others are stored', async () => {
  const dir = folder();
  const path = join(dir, 'events.jsonl.gz');
  const lines = ['{"user_id":"u","item_id":"i","ts":1700000000000}', 'broken', '{"user_id":"u","item_id":"i"}'];
  writeFileSync(path, gzipSync(lines.join('\n')));
  const { service, kindred } = await storingService();
  const result = await run(path, kindred);
  assert.deepEqual([result.rows, result.succeeded, result.failed], [3, 1, 2]);
  assert.equal(service.events.length, 1);
  const failed = readFileSync(result.failed_rows_file!, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    failed.map(({ row, code }) => [row, code]),
    [
      [2, 'UNREADABLE_ROW'],
      [3, 'UNREADABLE_ROW'],
    ],
  );
  assert.match(failed[1].message, /ts is empty/);
});

test('a quote that nobody closes costs its row, not the rest of the file', async () => {
  const path = join(folder(), 'events.csv');
  const rows = ['u1,i1,Anna,1700000000000', 'u2,i2,"Bob,1700000000001', 'u3,i3,Cleo,1700000000002', ''];
  writeFileSync(path, `user_id,item_id,name,ts\n${rows.join('\n')}`);
  const { service, kindred } = await storingService();
  const result = await run(path, kindred);
  assert.deepEqual([result.rows, result.succeeded, result.failed], [3, 2, 1]);
  assert.deepEqual(
    service.events.map(({ event_id }) => event_id.split(':')[0]),
    ['u1', 'u3'],
  );
  assert.deepEqual(JSON.parse(readFileSync(result.failed_rows_file!, 'utf8')), {
    row: 2,
    code: 'UNREADABLE_ROW',
    message: 'a quote that is opened in this row is not closed',
    content: rows[1],
  });
});

test('a file that is cut off or no Parquet is told in one line, as is a wrong address', async () => {
  const dir = folder();
  const [zipped, parquet] = [join(dir, 'events.csv.gz'), join(dir, 'events.parquet')];
  writeFileSync(zipped, gzipSync(csvOf(2000)).subarray(0, -50));
  writeFileSync(parquet, 'PAR1 and nothing more');
  const { kindred } = await storingService();
  await assert.rejects(run(zipped, kindred), { name: 'UnreadableTable', message: /damaged or cut off/ });
  await assert.rejects(run(parquet, kindred), { name: 'UnreadableTable', message: /not a Parquet file/ });
  const credentials = { KINDRED_API_KEY: 'k', KINDRED_CLIENT_SECRET: 's' };
  for (const url of ['127.0.0.1:8080', 'localhost:8080', 'http://']) {
    assert.throws(() => connect({ url }, 0, credentials), { name: 'UsageError', message: /must be like http/ });
  }
});

test('Parquet files are read with their types', async () => {
  const path = join(folder(), 'events.parquet');
  const buffer = parquetWriteBuffer({
    columnData: [
      { name: 'user_id', data: ['u1', 'u2'], type: 'STRING' },
      { name: 'item_id', data: [7, 8], type: 'INT32' },
      { name: 'timestamp', data: [1_700_000_000_000n, 1_700_000_001_000n], type: 'INT64' },
      { name: 'rating', data: [4.5, 3], type: 'DOUBLE' },
    ],
  });
  writeFileSync(path, new Uint8Array(buffer));
  const { service, kindred } = await storingService();
  const result = await run(path, kindred, { eventType: 'rating' });
  assert.equal(result.succeeded, 2);
  assert.deepEqual(service.events[0], {
    event_id: 'u1:7:1700000000000:rating',
    user_id: 'u1',
    item_id: '7',
    ts: 1_700_000_000_000,
    event_type: 'rating',
    event_value: 4.5,
    attributes: {},
  });
});

test('a file that is not there is wrong use, told in one line', async () => {
  const before = process.exitCode;
  const written: string[] = [];
  const write = process.stderr.write;
  process.stderr.write = ((text: string) => written.push(text) > 0) as typeof process.stderr.write;
  try {
    await runCommand({}, async () => void (await prepare('/nonexistent/events.csv', FLAGS)));
    assert.equal(process.exitCode, 2);
  } finally {
    process.stderr.write = write;
    process.exitCode = before;
  }
  assert.deepEqual(written, ['kindred: cannot find the file /nonexistent/events.csv\n']);
});

test('an import that is interrupted before its first row creates nothing', async () => {
  const path = join(folder(), 'events.csv');
  writeFileSync(path, csvOf(5));
  const { service, kindred } = await storingService();
  const reason = new Error('interrupted');
  await assert.rejects(runAll([path], kindred, {}, AbortSignal.abort(reason)), reason);
  await assert.rejects(runAll([path], kindred, { project: 'shop' }, AbortSignal.abort(reason)), reason);
  assert.deepEqual([service.datasets, service.calls], [0, 0]);
});

const FILE: ImportedFile = {
  file: 'f.csv',
  kind: 'events',
  dataset_id: 'd',
  rows: 2,
  succeeded: 2,
  failed: 0,
  warnings: {},
  failed_rows_file: null,
  seconds: 1,
  resumed: false,
};

test('the summary counts rows: how many records they became is unknown where ids repeat', () => {
  const counts = { rows: 1504, succeeded: 1501, failed: 2, warnings: { SUSPICIOUS_TIME: 1, UNKNOWN_ITEM: 2 } };
  const text = summaryText([{ ...FILE, ...counts, failed_rows_file: 'x' }], null);
  assert.match(text, /^f.csv: 1,502 rows imported into d in /);
  assert.match(
    text,
    /\n {2}at least 1 row repeats the event_id .*\n {2}1 row looks wrong: .*\n {2}2 rows look wrong: /,
  );
});

test('training is the next step once there are events', () => {
  const textOf = (kind: 'users' | 'events') => summaryText([{ ...FILE, kind }], { name: 'shop' });
  assert.match(textOf('events'), /Next: kindred train --project "shop"$/);
  assert.doesNotMatch(textOf('users'), /Next/);
});
