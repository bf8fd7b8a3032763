// Requests that are no call: each gets a problem document, even where Node would send none.
import assert from 'node:assert/strict';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { createLogger } from '../observability/logger.ts';
import { createMetrics } from '../observability/metrics.ts';
import { Lifecycle } from './lifecycle.ts';
import { defineRoute } from './route.ts';
import { createServer } from './server.ts';

let server: FastifyInstance;
before(async () => {
  const lifecycle = new Lifecycle();
  lifecycle.ready();
  const read = { method: 'GET', path: '/read', tag: 'Test', summary: 'Test.', scope: null } as const;
  server = createServer({
    routes: [defineRoute({ ...read, response: Type.Any(), examples: {}, handler: () => ({ read: true }) })],
    authenticate: () => ({ accountId: '', keyId: '', scopes: [] }),
    lifecycle,
    metrics: createMetrics(),
    log: createLogger('silent'),
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
});
after(() => server.close());

async function responseTo(...lines: string[]): Promise<{ status: number; body: Record<string, unknown> }> {
  const socket = connect((server.server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  const response = await text(socket);
  const [head, body] = response.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), body: JSON.parse(body) };
}

test('what is no HTTP, has no host, is for a proxy or has another path or method gets a problem document', async () => {
  const cases: [number, string, string[]][] = [
    [400, 'INVALID_REQUEST', ['nonsense']],
    [400, 'INVALID_REQUEST', ['GET /read HTTP/1.1', 'connection: close']],
    [405, 'METHOD_NOT_ALLOWED', ['CONNECT other:443 HTTP/1.1', 'host: other:443']],
    [405, 'METHOD_NOT_ALLOWED', ['DELETE /read HTTP/1.1', 'host: x', 'connection: close']],
    [404, 'ROUTE_NOT_FOUND', ['GET /nothing HTTP/1.1', 'host: x', 'connection: close']],
  ];
  for (const [status, code, lines] of cases) {
    const response = await responseTo(...lines);
    assert.deepEqual([response.status, response.body.code, response.body.status], [status, code, status], lines[0]);
    assert.ok(response.body.request_id);
  }
});

test('an older client without a host, and one that expects something unknown, are served', async () => {
  for (const lines of [
    ['GET /read HTTP/1.0'],
    ['GET /read HTTP/1.1', 'host: x', 'expect: wonders', 'connection: close'],
  ]) {
    assert.deepEqual(await responseTo(...lines), { status: 200, body: { read: true } });
  }
});
