import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { createLogger } from '../../observability/logger.ts';
import { createMetrics } from '../../observability/metrics.ts';
import { Lifecycle } from '../lifecycle.ts';
import { createServer } from '../server.ts';
import { addConsole } from './console.ts';

const folder = mkdtempSync(join(tmpdir(), 'kindred-console-'));
let server: FastifyInstance;
before(async () => {
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html>');
  writeFileSync(join(folder, 'assets', 'main-0123abcd.js'), '0');
  writeFileSync(join(folder, 'assets', 'main-0123abcd.js.br'), brotliCompressSync('0'));
  server = createServer({
    routes: [],
    authenticate: () => assert.fail('nothing here needs credentials'),
    lifecycle: new Lifecycle(),
    metrics: createMetrics(),
    log: createLogger('silent'),
  });
  addConsole(server, folder);
  await server.ready();
});
after(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

test('the page and its assets are served, the page at its own address only', async () => {
  for (const url of ['/console/', '/console/index.html', '/console/?a=1']) {
    const { statusCode, body, headers } = await server.inject({ url });
    assert.deepEqual([statusCode, body, headers['cache-control']], [200, '<!doctype html>', 'no-cache'], url);
    assert.match(String(headers['content-security-policy']), /default-src 'none'/);
  }
  const asset = await server.inject({ url: '/console/assets/main-0123abcd.js' });
  assert.match(String(asset.headers['cache-control']), /immutable/);
  for (const url of ['/', '/console']) assert.equal((await server.inject({ url })).headers.location, '/console/', url);
});

test('a file that was compressed when it was built is sent so, to those who accept it', async () => {
  const get = (encoding: string) =>
    server.inject({ url: '/console/assets/main-0123abcd.js', headers: { 'accept-encoding': encoding } });
  const compressed = await get('gzip, deflate, br, zstd');
  assert.equal(String(brotliDecompressSync(compressed.rawPayload)), '0');
  const { 'content-encoding': encoding, 'content-type': type, 'cache-control': cache, vary } = compressed.headers;
  assert.deepEqual([encoding, vary], ['br', 'accept-encoding']);
  assert.match(String(type), /javascript/);
  assert.match(String(cache), /immutable/);
  assert.equal((await get('identity')).body, '0');
});

test('what the folder does not hold or refuses is not found, whatever the path or the condition', async () => {
  for (const path of ['none.js', '%00', 'a%00b', '..%5c..%5cx', '%2e%2e%2fpackage.json', '.env', 'a'.repeat(5000)]) {
    const response = await server.inject({ url: `/console/${path}` });
    assert.deepEqual([response.statusCode, response.json().code], [404, 'ROUTE_NOT_FOUND'], path.slice(0, 20));
  }
  const conditional = await server.inject({ url: '/console/index.html', headers: { 'if-match': '"another"' } });
  assert.equal(conditional.statusCode, 404);
  for (const range of ['bytes=999-', 'bytes=x', 'bytes=0-3']) {
    const response = await server.inject({ url: '/console/index.html', headers: { range } });
    assert.deepEqual([response.statusCode, response.body], [200, '<!doctype html>'], range);
  }
});
