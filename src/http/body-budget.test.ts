import assert from 'node:assert/strict';
import { type ClientRequest, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { ByteBudget } from '../base/byte-budget.ts';
import { createLogger } from '../observability/logger.ts';
import { createMetrics } from '../observability/metrics.ts';
import type { BodyClock } from './body-pace.ts';
import { BULK_BODIES } from './bulk/bulk-bodies.ts';
import { Lifecycle } from './lifecycle.ts';
import { defineRoute } from './route.ts';
import { createServer } from './server.ts';

/** Bodies here stay below the limit of the route's class. */
const KB = 512;

test('an account may hold as much as it leaves free, and what is given back is free again', () => {
  const budget = new ByteBudget(100);
  assert.ok(budget.take('a', 50));
  assert.equal(budget.take('a', 1), false, 'half is the most one account gets');
  assert.ok(budget.take('b', 25));
  assert.equal(budget.take('b', 1), false);
  assert.ok(budget.take('c', 12));
  budget.giveBack('a', 50);
  assert.ok(budget.take('b', 18));
  budget.giveBack('b', 43);
  budget.giveBack('c', 12);
  assert.equal(budget.heldBytes, 0);
  assert.ok(budget.take('c', 50));
});

const budget = new ByteBudget(1024 * KB);
const looks = new Set<() => void>();
const pace = { windowMs: 1000, leastBytes: 50 * KB };
const clock: BodyClock = {
  paces: { large: pace, small: pace, anonymous: pace },
  eachWindow(look) {
    looks.add(look);
    return () => looks.delete(look);
  },
};
const aWindowPasses = (): void => {
  for (const look of [...looks]) look();
};
let server: FastifyInstance;
let port: number;
/** Upserts whose handler has begun and waits with its parser thread. */
const upserts: (() => void)[] = [];
let disconnected = 0;
before(async () => {
  const lifecycle = new Lifecycle();
  lifecycle.ready();
  const takes = defineRoute({
    method: 'POST',
    path: '/take',
    tag: 'Test',
    summary: 'Takes a body.',
    body: Type.Object({ text: Type.String() }),
    bodyClass: 'medium',
    response: Type.Object({ length: Type.Integer() }),
    examples: {},
    handler: ({ body }) => ({ length: body.text.length }),
  });
  const upsert = defineRoute({
    method: 'POST',
    path: '/upsert',
    tag: 'Test',
    summary: 'Keeps its parser thread until it is told.',
    body: BULK_BODIES.items.schema,
    bulk: BULK_BODIES.items,
    response: Type.Object({}),
    examples: {},
    async handler() {
      await new Promise<void>((resolve) => upserts.push(resolve));
      return {};
    },
  });
  server = createServer({
    routes: [takes, upsert],
    authenticate: ({ headers }) => ({ accountId: String(headers.apikey), keyId: '', scopes: [] }),
    lifecycle,
    metrics: createMetrics(),
    log: createLogger('silent'),
    bodyBudget: budget,
    bodyClock: clock,
  });
  server.server.on('connection', (socket) => socket.once('close', () => disconnected++));
  await server.listen({ host: '127.0.0.1', port: 0 });
  port = (server.server.address() as AddressInfo).port;
});
after(() => server.close());

const bodyOf = (bytes: number): Buffer => Buffer.from(JSON.stringify({ text: 'x'.repeat(bytes) }));

/** A call whose body is sent by hand. */
function begin(
  account: string,
  headers: Record<string, string | number>,
  path = '/take',
): { call: ClientRequest; status: Promise<number> } {
  const call = request({
    host: '127.0.0.1',
    port,
    method: 'POST',
    path,
    agent: false,
    headers: { apikey: account, 'content-type': 'application/json', ...headers },
  });
  const status = new Promise<number>((resolve, reject) => {
    call.on('response', (response) => resolve(response.resume().statusCode!)).on('error', reject);
  });
  status.catch(() => {});
  return { call, status };
}

function send(account: string, body: Buffer, headers: Record<string, string | number> = {}): Promise<number> {
  const { call, status } = begin(account, { 'content-length': body.length, ...headers });
  call.end(body);
  return status;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await nextTurn();
}

for (const framing of ['content-length', 'chunked']) {
  test(`bodies that stall hold their own account up and no other (${framing})`, async () => {
    const body = bodyOf(450 * KB);
    const headers: Record<string, string | number> =
      framing === 'chunked' ? { 'transfer-encoding': 'chunked' } : { 'content-length': body.length };
    const slow = begin('slow', headers);
    slow.call.write(body.subarray(0, 400 * KB));
    await until(() => budget.heldBytes >= 400 * KB);
    assert.equal(await send('slow', bodyOf(200 * KB)), 503);
    assert.equal(await send('other', bodyOf(200 * KB)), 200);
    assert.equal(await send('slow', bodyOf(KB)), 200, 'what is small is never counted');
    slow.call.destroy();
    await until(() => budget.heldBytes === 0);
    assert.equal(await send('slow', bodyOf(300 * KB)), 200);
  });
}

test('a body that stalls is refused after a window that brings too little, and holds nothing more', async () => {
  const body = bodyOf(450 * KB);
  const slow = begin('slow', { 'content-length': body.length });
  slow.call.write(body.subarray(0, 200 * KB));
  await until(() => budget.heldBytes >= 200 * KB);
  aWindowPasses();
  slow.call.write(body.subarray(200 * KB, 300 * KB));
  await until(() => budget.heldBytes >= 300 * KB);
  aWindowPasses();
  slow.call.write(body.subarray(300 * KB, 301 * KB));
  await until(() => budget.heldBytes >= 301 * KB);
  aWindowPasses();
  assert.equal(await slow.status, 408);
  await until(() => budget.heldBytes === 0);
  assert.equal(looks.size, 0);
});

test('a body that comes slowly but steadily is taken', async () => {
  const body = bodyOf(450 * KB);
  const { call, status } = begin('steady', { 'content-length': body.length });
  for (let sent = 0; sent < body.length; sent += 60 * KB) {
    call.write(body.subarray(sent, sent + 60 * KB));
    if (sent + 60 * KB >= body.length) break;
    await until(() => budget.heldBytes >= sent + 60 * KB);
    aWindowPasses();
  }
  call.end();
  assert.equal(await status, 200);
  await until(() => budget.heldBytes === 0);
  assert.equal(looks.size, 0);
});

test('a body that is declared and not sent holds nothing', async () => {
  const idle = begin('slow', { 'content-length': 450 * KB });
  idle.call.flushHeaders();
  assert.equal(await send('slow', bodyOf(400 * KB)), 200);
  idle.call.destroy();
});

test('a body without a length is cut off where the budget ends', async () => {
  const { call, status } = begin('endless', { 'transfer-encoding': 'chunked' });
  call.end(bodyOf(600 * KB));
  assert.notEqual(await status.catch(() => 'cut off'), 200);
  await until(() => budget.heldBytes === 0);
});

test('a compressed body counts with its inflated size until the response', async () => {
  const encoding = { 'content-encoding': 'gzip' };
  assert.equal(await send('zipped', gzipSync(bodyOf(600 * KB)), encoding), 503);
  assert.equal(await send('zipped', gzipSync(bodyOf(300 * KB)), encoding), 200);
  await until(() => budget.heldBytes === 0);
});

test('a body that waits for a parser thread is counted until its turn, even if the client disconnects', async () => {
  const items = [{ item_id: 'a', attributes: { text: 'x'.repeat(140 * KB) } }];
  const body = Buffer.from(JSON.stringify({ item_dataset_id: 'ids_1', items }));
  const calls = Array.from({ length: 5 }, (_, n) => {
    const { call } = begin(`bulk-${n}`, { 'content-length': body.length }, '/upsert');
    call.on('error', () => {}).end(body);
    return call;
  });
  await until(() => upserts.length > 0 && budget.heldBytes + upserts.length * body.length === 5 * body.length);
  const before = disconnected;
  for (const call of calls) call.destroy();
  await until(() => disconnected === before + calls.length);
  assert.ok(budget.heldBytes >= body.length);
  while (budget.heldBytes > 0) {
    for (const end of upserts.splice(0)) end();
    await nextTurn();
  }
});
