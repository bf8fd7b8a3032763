import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { createLogger } from '../observability/logger.ts';
import { createMetrics } from '../observability/metrics.ts';
import { Lifecycle } from './lifecycle.ts';
import { defineRoute } from './route.ts';
import { createServer } from './server.ts';

test('an unexpected error is sent without its message', async () => {
  const lifecycle = new Lifecycle();
  lifecycle.ready();
  const broken = defineRoute({
    method: 'GET',
    path: '/broken',
    tag: 'Test',
    summary: 'Fails.',
    scope: null,
    response: Type.Object({}),
    examples: { response: {} },
    handler: () => {
      throw new Error('password hunter2 at 10.0.0.7');
    },
  });
  const server = createServer({
    routes: [broken],
    authenticate: () => assert.fail('the call is open'),
    lifecycle,
    metrics: createMetrics(),
    log: createLogger('silent'),
  });
  const response = await server.inject({ method: 'GET', url: '/broken' });
  assert.equal(response.statusCode, 500);
  assert.equal(response.json().code, 'INTERNAL_ERROR');
  assert.equal(response.json().request_id, response.headers['x-request-id']);
  assert.doesNotMatch(response.body, /hunter2|10\.0\.0\.7|stack/);
});
