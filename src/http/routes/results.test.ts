import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { systemRuntime } from '../../base/runtime.ts';
import { createLogger } from '../../observability/logger.ts';
import { createMetrics } from '../../observability/metrics.ts';
import { publishResult } from '../../results/publish-result.ts';
import { keepParts, removeResult } from '../../results/result-files.ts';
import { isSignedBy, LINK_LIFETIME_SEC, resultPath } from '../../results/result-link.ts';
import { sweepResults } from '../../results/sweep-results.ts';
import { openBlobStore } from '../../store/blob/open-blob-store.ts';
import type { BlobStore } from '../../store/blob-store.ts';
import { Lifecycle } from '../lifecycle.ts';
import { createServer } from '../server.ts';
import { resultRoutes } from './results.ts';

const SECRET = 'shared by all nodes';
const MADE_MS = Date.UTC(2026, 0, 1);
let nowMs = MADE_MS;
let folder: string;
let blobs: BlobStore;
let server: FastifyInstance;
let url: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-results-'));
  blobs = openBlobStore({ dataDir: folder });
  const lifecycle = new Lifecycle();
  lifecycle.ready();
  server = createServer({
    routes: resultRoutes({ blobs, secret: async () => SECRET }),
    authenticate: () => assert.fail('a download needs no credentials'),
    lifecycle,
    metrics: createMetrics(),
    log: createLogger('silent'),
    runtime: { ...systemRuntime, nowMs: () => nowMs },
  });
  const published = await publishResult({
    blobs,
    secret: SECRET,
    scratchDir: folder,
    resultId: 'job_1-1',
    nowMs: MADE_MS,
    writers: {
      json: async (file) => await file.write('{"queries":[]}'),
      csv: async (file) => await file.write('query,user_id\r\n1,"a,b"\r\n'),
      svg: async (file) => await file.write('<svg xmlns="http://www.w3.org/2000/svg"/>'),
    },
  });
  assert.equal(published.expired_at_sec, MADE_MS / 1000 + LINK_LIFETIME_SEC);
  url = published.download_path;
});
after(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

const get = (address: string) => server.inject({ method: 'GET', url: address });

test('a link returns JSON, and CSV and SVG by format', async () => {
  const json = await get(url);
  assert.equal(json.statusCode, 200);
  assert.match(String(json.headers['content-type']), /^application\/json/);
  assert.deepEqual(json.json(), { queries: [] });
  const csv = await get(`${url}&format=csv`);
  assert.match(String(csv.headers['content-type']), /^text\/csv/);
  assert.equal(csv.headers['content-disposition'], 'attachment; filename="job_1-1.csv"');
  assert.equal(csv.body, 'query,user_id\r\n1,"a,b"\r\n');
  const svg = await get(`${url}&format=svg`);
  assert.match(String(svg.headers['content-type']), /^image\/svg\+xml/);
  assert.match(String(svg.headers['content-security-policy']), /default-src 'none'/);
  assert.equal((await get(`${url}&format=json`)).body, json.body);
});

test('the lines of a large result, kept in parts, are one download', async () => {
  const reference = { resultId: 'job_2-1', expiredAtSec: MADE_MS / 1000 + LINK_LIFETIME_SEC };
  const lines = ['{"user_id":"u1"}\n', '{"user_id":"u2"}\n'];
  const copies = lines.map((line) => async (key: string) => {
    await writeFile(join(folder, 'line'), line);
    await blobs.putFile(key, join(folder, 'line'));
  });
  await keepParts(reference, 'jsonl', copies);
  const address = `${resultPath(SECRET, reference)}&format=jsonl`;
  const whole = await get(address);
  assert.deepEqual([whole.statusCode, whole.body], [200, lines.join('')]);
  assert.equal(whole.headers['content-length'], String(lines.join('').length));
  await removeResult(blobs, reference);
  assert.equal((await get(address)).json().code, 'RESULT_NOT_FOUND');
});

test('a link changed in any part looks like one that does not exist', async () => {
  const later = url.replace(/expires=(\d+)/, (_, seconds) => `expires=${Number(seconds) + 3600}`);
  const another = url.replace('job_1-1', 'job_2-1');
  const forged = url.replace(/signature=.{5}/, 'signature=AAAAA');
  const otherSecret = resultPath('guess', { resultId: 'job_1-1', expiredAtSec: MADE_MS / 1000 + LINK_LIFETIME_SEC });
  for (const address of [later, another, forged, otherSecret, `${url}AA`]) {
    const response = await get(address);
    assert.equal(response.statusCode, 404, address);
    assert.equal(response.json().code, 'RESULT_NOT_FOUND');
  }
});

test('a link without its parts or with an unknown format is refused', async () => {
  for (const address of ['/results/job_1-1', url.replace(/&signature.*/, ''), `${url}&format=pdf`]) {
    assert.equal((await get(address)).statusCode, 400, address);
  }
});

test('a link ends after 24 hours, and the sweep then removes its files', async () => {
  nowMs = MADE_MS + LINK_LIFETIME_SEC * 1000 - 1;
  assert.equal((await get(url)).statusCode, 200);
  assert.deepEqual(await sweepResults(blobs, nowMs), []);
  nowMs += 1;
  const ended = await get(url);
  assert.equal(ended.statusCode, 410);
  assert.equal(ended.json().code, 'LINK_EXPIRED');
  nowMs += 2 * 3600 * 1000;
  assert.equal((await sweepResults(blobs, nowMs)).length, 3);
  assert.deepEqual(await Array.fromAsync(blobs.list('results/')), []);
  assert.equal((await get(url)).statusCode, 410);
});

test('a signature of another length is no signature', () => {
  assert.equal(isSignedBy(SECRET, { resultId: 'a', expiredAtSec: 1 }, ''), false);
});
