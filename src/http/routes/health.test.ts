import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Metrics } from '../../observability/metrics.ts';
import { Lifecycle } from '../lifecycle.ts';
import { healthRoutes } from './health.ts';

test('many who ask for metrics at once share one making of them, and nobody gets an older one', async () => {
  let made = 0;
  const metrics = { text: async () => `${++made}` } as Metrics;
  const nothing = { lifecycle: new Lifecycle(), ping: async () => {}, hasLoaded: () => true };
  const routes = healthRoutes({ ...nothing, metrics, unreadableDeployments: () => 0 });
  const { handler } = routes.find(({ path }) => path === '/metrics')!;
  const ask = async () => handler({ reply: { type() {} } } as unknown as Parameters<typeof handler>[0]);
  const responses = await Promise.all(Array.from({ length: 100 }, ask));
  assert.deepEqual([responses[0], new Set(responses.slice(1))], ['1', new Set(['2'])]);
  assert.equal(await ask(), '3');
});

/** `/readyz` of a node in which everything works but what is changed. */
function readyz(change: { hasLoaded?: boolean; unreadable?: number; isReady?: boolean; isStoreUp?: boolean } = {}) {
  const { hasLoaded = true, unreadable = 0, isReady = true, isStoreUp = true } = change;
  const lifecycle = new Lifecycle();
  if (isReady) lifecycle.ready();
  const routes = healthRoutes({
    lifecycle,
    metrics: {} as Metrics,
    ping: async () => assert.ok(isStoreUp),
    hasLoaded: () => hasLoaded,
    unreadableDeployments: () => unreadable,
  });
  const { handler } = routes.find(({ path }) => path === '/readyz')!;
  return async (query: { models?: boolean }) => handler({ query } as unknown as Parameters<typeof handler>[0]);
}

test('a node that loads its models is ready for those who do not ask for models', async () => {
  const ask = readyz({ hasLoaded: false });
  const ready = { status: 'ready', unreadable_deployments: 0 };
  assert.deepEqual(await ask({}), ready);
  assert.deepEqual(await ask({ models: false }), ready);
  await assert.rejects(ask({ models: true }), { code: 'STARTING', message: 'Deployed models are being loaded.' });
  assert.deepEqual(await readyz()({ models: true }), ready);
});

test('a node that starts, stops or does not reach its store is not ready, one with a damaged model is', async () => {
  await assert.rejects(readyz({ isReady: false })({}), { code: 'STARTING' });
  await assert.rejects(readyz({ isStoreUp: false })({}), { code: 'STORE_UNAVAILABLE' });
  assert.deepEqual(await readyz({ unreadable: 2 })({}), { status: 'degraded', unreadable_deployments: 2 });
});
