import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { ByteBudget } from '../base/byte-budget.ts';
import { createLogger } from '../observability/logger.ts';
import { createMetrics } from '../observability/metrics.ts';
import { Lifecycle } from './lifecycle.ts';
import { defineRoute, jsonText } from './route.ts';
import { createServer } from './server.ts';

const MIB = 1024 * 1024;
const STALLED_MS = 1000;

const budget = new ByteBudget(64 * MIB);
let server: FastifyInstance;
let port: number;
before(async () => {
  const lifecycle = new Lifecycle();
  lifecycle.ready();
  const describe = { method: 'GET', tag: 'Test', summary: 'Test.', response: Type.Any(), examples: {} } as const;
  const query = Type.Object({ mib: Type.Integer(), letter: Type.Optional(Type.String()) });
  server = createServer({
    routes: [
      defineRoute({
        ...describe,
        path: '/text',
        query,
        handler: ({ query: { mib, letter = 'x' }, reply }) =>
          jsonText(reply, Promise.resolve(JSON.stringify(letter.repeat(mib * MIB - 2)))),
      }),
      defineRoute({
        ...describe,
        path: '/slow',
        query: Type.Object({ ms: Type.Integer() }),
        handler: ({ query: { ms } }) => sleep(ms, {}),
      }),
      defineRoute({
        ...describe,
        path: '/file',
        query,
        handler: ({ query: { mib }, reply }) =>
          reply.type('text/plain').send(Readable.from(Array(mib).fill(Buffer.alloc(MIB, 'x')))),
      }),
    ],
    authenticate: ({ headers }) => ({ accountId: String(headers.apikey), keyId: '', scopes: [] }),
    lifecycle,
    metrics: createMetrics(),
    log: createLogger('silent'),
    responseBudget: budget,
    stalledResponseMs: STALLED_MS,
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
  port = (server.server.address() as AddressInfo).port;
});
after(() => server.close());

const ask = (path: string, account = 'a') =>
  fetch(`http://127.0.0.1:${port}${path}`, { headers: { apikey: account, 'accept-encoding': 'identity' } });

/** Sends a request and does not read the response. */
function askAndStop(path: string, account: string): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.pause();
  socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\napikey: ${account}\r\n\r\n`);
  return socket;
}

/** Sends all requests without waiting for responses. */
function askAtOnce(paths: string[], account: string): Socket {
  const socket = connect(port, '127.0.0.1');
  const heads = paths.map((path) => `GET ${path} HTTP/1.1\r\nhost: x\r\napikey: ${account}\r\n`);
  socket.write(`${heads.join('\r\n')}connection: close\r\n\r\n`);
  return socket;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(10);
}

test('a response of up to 32 MiB is sent, a larger one is refused, in bytes and not in characters', async () => {
  const whole = await ask('/text?mib=32');
  assert.equal((await whole.arrayBuffer()).byteLength, 32 * MIB);
  for (const path of ['/text?mib=33', '/text?mib=17&letter=%C3%A9']) {
    const refused = await ask(path);
    assert.equal(refused.status, 413);
    assert.equal(((await refused.json()) as { code: string }).code, 'ANSWER_TOO_LARGE');
  }
  await until(() => budget.heldBytes === 0);
});

test('unread responses are counted, dropped after a while, and do not block other accounts', async () => {
  const stopped = [askAndStop('/text?mib=16', 'idle'), askAndStop('/text?mib=16', 'idle')];
  await until(() => budget.heldBytes === 32 * MIB);
  assert.equal((await ask('/text?mib=16', 'idle')).status, 503);
  const other = await ask('/text?mib=16', 'other');
  assert.equal(other.status, 200);
  await other.arrayBuffer();
  await until(() => budget.heldBytes === 0);
  for (const socket of stopped) socket.destroy();
});

test('a file is streamed whatever its size, and given up when nobody reads on', async () => {
  const file = await ask('/file?mib=40');
  assert.equal((await file.arrayBuffer()).byteLength, 40 * MIB);
  const [[serverSide], stopped] = await Promise.all([
    once(server.server, 'connection') as Promise<[Socket]>,
    askAndStop('/file?mib=400', 'idle'),
  ]);
  await until(() => serverSide.destroyed);
  stopped.destroy();
});

test('a call may take long though a large response waits for it or was sent before it', async () => {
  const slow = `/slow?ms=${1.5 * STALLED_MS}`;
  await Promise.all(
    [
      [slow, '/text?mib=1'],
      ['/text?mib=1', slow],
    ].map(async (paths) => {
      const text = await textOf(askAtOnce(paths, 'a'));
      assert.equal([...text.matchAll(/HTTP\/1\.1 200 /g)].length, 2, `${paths}`);
    }),
  );
});

test('a response that waited for a slow call is dropped too if nobody reads it', async () => {
  const stopped = askAtOnce(['/slow?ms=100', '/text?mib=16'], 'idle').pause();
  await until(() => budget.heldBytes > 0);
  await until(() => budget.heldBytes === 0);
  stopped.destroy();
});

test('a slow but steady reader gets the whole response', async () => {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get({ port, path: '/text?mib=16', headers: { apikey: 'slow' } }, resolve).on('error', reject);
  });
  let length = 0;
  for await (const piece of response) {
    length += piece.length;
    // Altogether longer than the time after which a response counts as stalled.
    await sleep((piece.length / (16 * MIB)) * 2 * STALLED_MS);
  }
  assert.equal(length, 16 * MIB);
});
