import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import fastify from 'fastify';
import { addCompression, chooseEncoding, fixedContent } from './compression.ts';

test('the best encoding both sides know is chosen, refusals are respected', () => {
  assert.equal(chooseEncoding('gzip, deflate, br, zstd'), 'zstd');
  assert.equal(chooseEncoding('gzip, deflate, br'), 'br');
  assert.equal(chooseEncoding('GZIP;q=0.5'), 'gzip');
  assert.equal(chooseEncoding('*'), 'zstd');
  assert.equal(chooseEncoding('zstd;q=0, br;q=0, *;q=0.1'), 'gzip');
  assert.equal(chooseEncoding('identity'), null);
  assert.equal(chooseEncoding('gzip;q=0'), null);
  assert.equal(chooseEncoding(''), null);
});

test('caches are told that the response depends on the encodings, next to what else it depends on', async (t) => {
  const app = fastify();
  t.after(() => app.close());
  addCompression(app);
  const text = 'and so on '.repeat(1000);
  app.get('/', (_request, reply) => reply.type('text/plain').send(text));
  app.get('/of-origin', (_request, reply) => reply.type('text/plain').header('vary', 'origin').send(text));
  const varyOf = async (url: string, encoding?: string) =>
    (await app.inject({ url, headers: encoding === undefined ? {} : { 'accept-encoding': encoding } })).headers.vary;
  assert.equal(await varyOf('/', 'gzip'), 'accept-encoding');
  assert.equal(await varyOf('/'), 'accept-encoding');
  assert.equal(await varyOf('/of-origin', 'gzip'), 'origin, accept-encoding');
});

test('what does not change is compressed once for each encoding', async (t) => {
  const app = fastify();
  t.after(() => app.close());
  addCompression(app);
  const text = '"é" and so on '.repeat(1000);
  const page = fixedContent(text);
  app.get('/', (_request, reply) => reply.type('text/plain').send(page));
  const sent = new Map<string, Set<unknown>>();
  app.addHook('onSend', (request, _reply, payload, done) => {
    const encoding = request.headers['accept-encoding'] as string;
    sent.set(encoding, (sent.get(encoding) ?? new Set()).add(payload));
    done(null, payload);
  });
  const open = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync };
  for (const encoding of ['gzip', 'br', 'zstd', 'gzip', 'br', 'zstd'] as const) {
    const response = await app.inject({ url: '/', headers: { 'accept-encoding': encoding } });
    assert.equal(response.headers['content-encoding'], encoding);
    assert.equal(open[encoding](response.rawPayload).toString(), text);
  }
  assert.deepEqual(
    [...sent].map(([encoding, payloads]) => [encoding, payloads.size]),
    [
      ['gzip', 1],
      ['br', 1],
      ['zstd', 1],
    ],
  );
});

test('what is streamed is closed when the client goes away in the middle', async (t) => {
  const app = fastify();
  t.after(() => app.close());
  addCompression(app);
  const source = new Readable({ read: () => source.push(randomBytes(65_536).toString('base64')) });
  app.get('/', (_request, reply) => reply.type('text/plain').send(source));
  await app.listen({ port: 0, host: '127.0.0.1' });
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nhost: localhost\r\naccept-encoding: gzip\r\n\r\n');
  await once(socket, 'data');
  socket.destroy();
  await new Promise((resolve) => source.once('close', resolve));
});
