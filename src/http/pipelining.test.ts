import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { after, afterEach, before, beforeEach, type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { createLogger } from '../observability/logger.ts';
import { createMetrics } from '../observability/metrics.ts';
import { currentAccount } from '../store/on-behalf-of.ts';
import { Lifecycle } from './lifecycle.ts';
import { defineRoute, NOBODY } from './route.ts';
import { createServer } from './server.ts';

const CALLS = 200;
const MAX_IN_FLIGHT = 8;
const BODY_BYTES = 15_000;
const LARGE_BYTES = 50e6;

const accountsBefore: (string | null)[] = [];

let server: FastifyInstance;
let port: number;
let accepted: Socket;
/** Calls whose handler has begun and waits. */
const begun: { n: number; end(): void }[] = [];
before(async () => {
  const lifecycle = new Lifecycle();
  lifecycle.ready();
  const call = defineRoute({
    method: 'POST',
    path: '/call',
    tag: 'Test',
    summary: 'Waits until it is told.',
    scope: '',
    examples: {},
    body: Type.Object({ n: Type.Integer(), padding: Type.String() }),
    response: Type.Object({ n: Type.Integer() }),
    beforeBody: () => accountsBefore.push(currentAccount()),
    async handler({ body: { n }, reply }) {
      await new Promise<void>((end) => begun.push({ n, end }));
      // The rest of a response sent here runs on behalf of the account.
      return reply.send({ n });
    },
  });
  server = createServer({
    routes: [call],
    authenticate() {
      assert.equal(currentAccount(), NOBODY.accountId);
      return { accountId: 'a', keyId: '', scopes: [] };
    },
    lifecycle,
    metrics: createMetrics(),
    log: createLogger('silent'),
  });
  server.server.on('connection', (socket) => {
    accepted = socket;
  });
  Object.assign(server.server, { connectionsCheckingInterval: 20 });
  await server.listen({ host: '127.0.0.1', port: 0 });
  port = (server.server.address() as AddressInfo).port;
});
after(() => server.close());
beforeEach(() => begun.splice(0));
/** Runs after a failed test too, or the server would wait for its calls. */
afterEach(() => accepted.destroy());

function requestOf(n: number, padding = 'x'.repeat(BODY_BYTES)): string {
  const body = JSON.stringify({ n, padding });
  return headOf(body.length) + body;
}

const headOf = (bodyBytes: number): string =>
  `POST /call HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${bodyBytes}\r\n\r\n`;

function shortenHeadersTimeout(t: TestContext): void {
  const { headersTimeout } = server.server;
  server.server.headersTimeout = 50;
  t.after(() => {
    server.server.headersTimeout = headersTimeout;
  });
}

const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await nextTurn();
};

/** A request that is not read does not begin either: a hundred turns show that nothing more comes. */
const settled = async (): Promise<void> => {
  for (let n = 0; n < 100; n++) await nextTurn();
};

test('a client that sends many calls at once has a few in flight, and gets all responses in order', async () => {
  const client = connect(port, '127.0.0.1');
  let text = '';
  client.on('data', (data) => {
    text += data;
  });
  const numbers = Array.from({ length: CALLS }, (_, n) => n);
  for (const n of numbers) client.write(requestOf(n));
  await until(() => begun.length >= MAX_IN_FLIGHT);
  await settled();
  assert.equal(begun.length, MAX_IN_FLIGHT);
  const all = CALLS * BODY_BYTES;
  assert.ok(accepted.bytesRead < all / 4, `${accepted.bytesRead} bytes of ${all} were read`);
  const order: number[] = [];
  for (const [ended] of numbers.entries()) {
    await until(() => begun.length > 0);
    assert.ok(begun.length <= MAX_IN_FLIGHT);
    const { bytesRead } = accepted;
    assert.ok(bytesRead < ended * BODY_BYTES + all / 4, `${bytesRead} bytes were read after ${ended} calls`);
    const { n, end } = begun.shift()!;
    order.push(n);
    end();
  }
  assert.deepEqual(order, numbers);
  await until(() => text.includes(`{"n":${CALLS - 1}}`));
  const responses = [...text.matchAll(/\{"n":(\d+)\}/g)].map(([, n]) => Number(n));
  assert.deepEqual(responses, numbers);
  client.destroy();
});

test('of calls that wait, no more is read than came with the last headers', async () => {
  const client = connect(port, '127.0.0.1').on('error', () => {});
  const complete = Array.from({ length: MAX_IN_FLIGHT + 1 }, (_, n) => requestOf(n, '')).join('');
  // Sent in one piece: Node reads on after a complete call, and the next one stops it before it has begun to.
  client.write(complete + headOf(LARGE_BYTES));
  client.write(Buffer.alloc(LARGE_BYTES));
  await until(() => begun.length === MAX_IN_FLIGHT);
  await settled();
  assert.ok(accepted.bytesRead < 1e6, `${accepted.bytesRead} bytes were read`);
  client.destroy();
});

test('calls that waited do not run on behalf of the account of the calls before them', async () => {
  const client = connect(port, '127.0.0.1').resume();
  const calls = 2 * MAX_IN_FLIGHT;
  accountsBefore.splice(0);
  for (let n = 0; n < calls; n++) client.write(requestOf(n, ''));
  for (let ended = 0; ended < calls; ended++) {
    await until(() => begun.length > 0);
    begun.shift()!.end();
  }
  assert.deepEqual(accountsBefore, Array(calls).fill(null));
  client.destroy();
});

test('a call that waited gets the rest of its body, and another one after it begins at once', async () => {
  const client = connect(port, '127.0.0.1').resume();
  for (let n = 0; n < MAX_IN_FLIGHT; n++) client.write(requestOf(n));
  const last = requestOf(MAX_IN_FLIGHT);
  client.write(last.slice(0, 1000));
  await until(() => begun.length === MAX_IN_FLIGHT);
  client.write(last.slice(1000));
  for (const { end } of begun.splice(0)) end();
  await until(() => begun[0]?.n === MAX_IN_FLIGHT);
  client.write(requestOf(9));
  await until(() => begun.length === 2);
  for (const { end } of begun) end();
  client.destroy();
});

test('calls that wait are dropped when their client disconnects', async () => {
  const client = connect(port, '127.0.0.1').on('error', () => {});
  for (let n = 0; n < MAX_IN_FLIGHT + 2; n++) client.write(requestOf(n));
  await until(() => begun.length >= MAX_IN_FLIGHT);
  client.destroy();
  for (const { end } of begun.splice(0)) end();
  await until(() => accepted.destroyed);
  await settled();
  assert.equal(begun.length, 0);
});

test('a request of which a part has arrived is not late while nothing is read from its connection', async (t) => {
  shortenHeadersTimeout(t);
  const client = connect(port, '127.0.0.1');
  let text = '';
  client.on('data', (data) => {
    text += data;
  });
  const numbers = Array.from({ length: MAX_IN_FLIGHT + 2 }, (_, n) => n);
  const requests = numbers.map((n) => requestOf(n, '')).join('');
  const late = once(server.server, 'clientError');
  client.write(requests.slice(0, -50));
  await late;
  assert.ok(accepted.writable);
  client.write(requests.slice(-50));
  for (const _ of numbers) {
    await until(() => begun.length > 0);
    begun.shift()!.end();
  }
  await until(() => text.split('HTTP/1.1 ').length > numbers.length);
  assert.deepEqual(
    [...text.matchAll(/HTTP\/1\.1 200 [^{]*\{"n":(\d+)\}/g)].map(([, n]) => Number(n)),
    numbers,
  );
  client.destroy();
});

test('a request that stops within its headers is late', async (t) => {
  shortenHeadersTimeout(t);
  const client = connect(port, '127.0.0.1');
  client.write(requestOf(0, '').slice(0, 50));
  assert.match(await textOf(client), /^HTTP\/1\.1 408 /);
});
