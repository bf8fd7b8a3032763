// Health, readiness and metrics: no credentials, for probes and scrapers.
import { Type } from 'typebox';
import { AppError } from '../../errors.ts';
import type { Metrics } from '../../observability/metrics.ts';
import type { Lifecycle } from '../lifecycle.ts';
import { defineRoute, type Route } from '../route.ts';
import { open } from '../schemas/common.ts';

export interface HealthParts {
  lifecycle: Lifecycle;
  metrics: Metrics;
  ping(): Promise<void>;
}

export function healthRoutes({ lifecycle, metrics, ping }: HealthParts): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/healthz',
      scope: null,
      tag: 'Operations',
      summary: 'Is the process up?',
      quiet: true,
      response: open({ status: Type.String() }),
      examples: { response: { status: 'ok' } },
      handler: () => ({ status: 'ok' }),
    }),
    defineRoute({
      method: 'GET',
      path: '/readyz',
      scope: null,
      tag: 'Operations',
      summary: 'Can it serve? Store reachable, migrations done, not shutting down',
      quiet: true,
      response: open({ status: Type.String() }),
      errors: ['STORE_UNAVAILABLE', 'STARTING', 'SHUTTING_DOWN'],
      examples: { response: { status: 'ready' } },
      async handler() {
        const refusal = lifecycle.refusal();
        if (refusal) throw refusal;
        await ping().catch((error) => {
          throw new AppError('STORE_UNAVAILABLE', 'The store does not answer.', { cause: error, retryAfterSec: 1 });
        });
        return { status: 'ready' };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/metrics',
      scope: null,
      tag: 'Operations',
      summary: 'Figures for Prometheus',
      quiet: true,
      response: Type.String(),
      produces: ['text/plain'],
      examples: { response: 'kindred_records_stored_total{kind="event"} 1000' },
      async handler({ reply }) {
        reply.type('text/plain; version=0.0.4; charset=utf-8');
        return metrics.text();
      },
    }),
  ];
}
