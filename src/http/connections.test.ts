// Clients that open connections and do not continue: what they hold, and for how long.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { AppError } from '../errors.ts';
import { createLogger } from '../observability/logger.ts';
import { createMetrics } from '../observability/metrics.ts';
import { BODY_PACES, type BodyClock } from './body-pace.ts';
import { Lifecycle } from './lifecycle.ts';
import { defineRoute } from './route.ts';
import { createServer } from './server.ts';

const PER_ADDRESS = 20;

/** Windows of time pass when the test says so. */
const looks = new Set<{ look: () => void; windowMs: number }>();
const clock: BodyClock = {
  paces: BODY_PACES,
  eachWindow(look, windowMs) {
    const entry = { look, windowMs };
    looks.add(entry);
    return () => looks.delete(entry);
  },
};
const passes = (ms: number): void => {
  for (const { look, windowMs } of [...looks]) if (windowMs <= ms) look();
};

let server: FastifyInstance;
let port: number;
const accepted = new Set<Socket>();
before(async () => {
  const lifecycle = new Lifecycle();
  lifecycle.ready();
  const body = Type.Object({ text: Type.String() });
  const describe = { method: 'POST', tag: 'Test', summary: 'Test.', body, response: Type.Any(), examples: {} } as const;
  server = createServer({
    routes: [
      defineRoute({ ...describe, path: '/token', scope: null, bodyClass: 'anonymous', handler: () => ({}) }),
      defineRoute({ ...describe, path: '/call', handler: () => ({}) }),
      defineRoute({ ...describe, method: 'GET', path: '/read', body: undefined, handler: () => ({}) }),
    ],
    authenticate({ headers }) {
      if (headers.apikey === undefined) throw new AppError('UNAUTHENTICATED', 'The header "APIKey" is missing.');
      return { accountId: String(headers.apikey), keyId: '', scopes: [] };
    },
    lifecycle,
    metrics: createMetrics(),
    log: createLogger('silent'),
    bodyClock: clock,
    connectionLimits: { perAddress: PER_ADDRESS },
  });
  server.server.on('connection', (socket) => {
    accepted.add(socket);
    socket.on('close', () => accepted.delete(socket));
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
  port = (server.server.address() as AddressInfo).port;
});
after(() => server.close());

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(5);
}

interface Begun {
  socket: Socket;
  text(): string;
  isClosed(): boolean;
}

/** Sends the head of a request and half of its body. */
function begin(path: string, headers = ''): Begun {
  const socket = connect(port, '127.0.0.1');
  let [text, isClosed] = ['', false];
  socket.on('data', (data) => {
    text += data;
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    isClosed = true;
  });
  const head = `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 16000\r\n${headers}\r\n`;
  socket.write(`${head}{"text": "`);
  return { socket, text: () => text, isClosed: () => isClosed };
}

test('an address with unfinished requests keeps few connections, the newest, and others are served', async () => {
  const begun: Begun[] = [];
  for (let n = 0; n < 10 * PER_ADDRESS; n++) {
    begun.push(begin('/token'));
    if (n % PER_ADDRESS === 0) await once(begun[n].socket, 'connect');
  }
  await until(() => begun.filter(({ isClosed }) => isClosed()).length >= 9 * PER_ADDRESS);
  assert.ok(accepted.size <= PER_ADDRESS);
  assert.ok(!begun.at(-1)!.isClosed());
  const response = await fetch(`http://127.0.0.1:${port}/read`, { headers: { apikey: 'a', connection: 'close' } });
  assert.equal(response.status, 200);
  for (const { socket } of begun) socket.destroy();
  await until(() => accepted.size === 0);
});

test('connections of authenticated clients are not counted, however many and idle', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 3 * PER_ADDRESS });
  const call = async (): Promise<void> => {
    const request = get({ port, path: '/read', agent, headers: { apikey: 'a' } });
    const [response] = await once(request, 'response');
    assert.equal(response.statusCode, 200);
    response.resume();
    await once(response, 'end');
  };
  for (let n = 0; n < 3; n++) await Promise.all(Array.from({ length: PER_ADDRESS - 5 }, call));
  // About as many calls again, all open at once, each while the others idle.
  const open: Promise<void>[] = [];
  for (let n = 0; n < 3 * PER_ADDRESS; n++) {
    open.push(call());
    if (n % 10 === 9) await Promise.all(open);
  }
  await Promise.all(open);
  const begun = Array.from({ length: 2 * PER_ADDRESS }, () => begin('/token'));
  await until(() => begun.filter(({ isClosed }) => isClosed()).length === PER_ADDRESS);
  await call();
  agent.destroy();
  for (const { socket } of begun) socket.destroy();
  await until(() => accepted.size === 0);
});

test('a small body that does not come is refused: without credentials after ten seconds, with them after thirty', async () => {
  const anonymous = begin('/token');
  const known = begin('/call', 'apikey: a\r\n');
  await until(() => looks.size === 2);
  passes(9_999);
  assert.equal(looks.size, 2);
  passes(10_000);
  await until(() => anonymous.isClosed());
  assert.match(anonymous.text(), /^HTTP\/1\.1 408 [\s\S]*The body did not arrive within 10 seconds/);
  assert.equal(looks.size, 1);
  passes(30_000);
  await until(() => known.isClosed());
  assert.match(known.text(), /^HTTP\/1\.1 408 /);
  assert.equal(looks.size, 0);
});

test('who is refused at once and does not end the body is disconnected some seconds later', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const refused = [begin('/call'), begin('/nowhere')];
  const untilTurn = async (condition: () => boolean): Promise<void> => {
    while (!condition()) await new Promise(setImmediate);
  };
  await untilTurn(() => refused.every(({ text }) => text().length > 0));
  assert.match(refused[0].text(), /^HTTP\/1\.1 401 /);
  assert.match(refused[1].text(), /^HTTP\/1\.1 404 /);
  for (let n = 0; n < 100; n++) await new Promise(setImmediate);
  assert.deepEqual(
    refused.map(({ isClosed }) => isClosed()),
    [false, false],
  );
  t.mock.timers.tick(10_000);
  await untilTurn(() => refused.every(({ isClosed }) => isClosed()));
});

test('who is refused while sending and asked to close the connection still gets the response', async () => {
  const body = Buffer.alloc(16 * 1024 * 1024, ' ');
  const refused = async (path: string, headers: string): Promise<string> => {
    const socket = connect(port, '127.0.0.1');
    const head = `POST ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\n`;
    socket.write(`${head}content-length: ${body.length}\r\n${headers}\r\n`);
    socket.end(body);
    let text = '';
    for await (const data of socket) text += data;
    return text;
  };
  assert.match(
    await refused('/call', 'apikey: a\r\n'),
    /^HTTP\/1\.1 413 [\s\S]*connection: close[\s\S]*BODY_TOO_LARGE/i,
  );
  assert.match(await refused('/call', ''), /^HTTP\/1\.1 401 /);
  assert.match(await refused('/nowhere', ''), /^HTTP\/1\.1 404 /);
});

test('who is refused while sending gets the response, and the connection serves the next call', async () => {
  const text = Buffer.alloc(16 * 1024 * 1024, ' ');
  const head = 'POST /call HTTP/1.1\r\nhost: x\r\napikey: a\r\ncontent-type: application/json\r\n';
  const next = 'GET /read HTTP/1.1\r\nhost: x\r\napikey: a\r\nconnection: close\r\n\r\n';
  const framed = {
    length: [`content-length: ${text.length}\r\n\r\n`, ''],
    chunked: [`transfer-encoding: chunked\r\n\r\n${text.length.toString(16)}\r\n`, '\r\n0\r\n\r\n'],
  };
  for (const [name, [start, end]] of Object.entries(framed)) {
    const socket = connect(port, '127.0.0.1');
    let answers = '';
    const read = (async () => {
      for await (const data of socket) answers += data;
    })();
    socket.write(head + start);
    // Whoever writes before reading sends the last byte after the response.
    await until(() => name === 'chunked' || answers.includes('BODY_TOO_LARGE'));
    socket.write(text);
    socket.end(end + next);
    await read;
    assert.match(answers, /^HTTP\/1\.1 413 [\s\S]*BODY_TOO_LARGE[\s\S]*HTTP\/1\.1 200 /, name);
  }
});

test('who asked to close the connection and does not end the body gets the response some seconds later', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const refused = begin('/call', 'connection: close\r\n');
  while (accepted.size === 0) await new Promise(setImmediate);
  while (!refused.isClosed()) {
    await new Promise(setImmediate);
    t.mock.timers.tick(10_000);
  }
  assert.match(refused.text(), /^HTTP\/1\.1 401 /);
});
