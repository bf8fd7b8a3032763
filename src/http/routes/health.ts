// Health, readiness and metrics: no credentials, for probes and scrapers.
import { Type } from 'typebox';
import { SharedLook } from '../../cluster/shared-look.ts';
import { AppError } from '../../errors.ts';
import type { Metrics } from '../../observability/metrics.ts';
import { asService } from '../../store/on-behalf-of.ts';
import type { Lifecycle } from '../lifecycle.ts';
import { defineRoute, type Route } from '../route.ts';
import { oneOf, open } from '../schemas/common.ts';

export interface HealthParts {
  lifecycle: Lifecycle;
  metrics: Metrics;
  ping(): Promise<void>;
  /** Deployed models are loaded, or have been waited for long enough. */
  hasLoaded(): boolean;
  /** Deployments that cannot serve because a model file is missing or damaged. */
  unreadableDeployments(): number;
}

export function healthRoutes({ lifecycle, metrics, ping, hasLoaded, unreadableDeployments }: HealthParts): Route[] {
  // Anybody may request these, and they take milliseconds and database reads, so concurrent requests share one computation. It
  // does not wait behind other calls without credentials.
  const figures = new SharedLook(() => asService(() => metrics.text()));
  const reached = new SharedLook(() => asService(ping));
  return [
    defineRoute({
      method: 'GET',
      path: '/healthz',
      scope: null,
      tag: 'Operations',
      summary: 'Check that the process runs',
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
      summary: 'Check that it can serve: database reachable, migrations done, not shutting down',
      description:
        'A missing or damaged model file stops one project and not the node, so the status stays 200 and the body says `degraded`. The log names the project.',
      quiet: true,
      query: open({
        models: Type.Optional(
          Type.Boolean({
            description:
              '`true`: 503 also until a node that has just started has loaded the deployed models, for a minute at most. Before that, a call waits for its model.',
          }),
        ),
      }),
      response: open({
        status: oneOf(['ready', 'degraded']),
        unreadable_deployments: Type.Integer({
          description: 'Deployments this node cannot serve because a model file is missing or damaged.',
        }),
      }),
      errors: ['STORE_UNAVAILABLE', 'STARTING', 'SHUTTING_DOWN'],
      examples: { response: { status: 'ready', unreadable_deployments: 0 } },
      async handler({ query: { models } }) {
        const refusal = lifecycle.refusal();
        if (refusal) throw refusal;
        if (models && !hasLoaded()) {
          throw new AppError('STARTING', 'Deployed models are being loaded.', { retryAfterSec: 1 });
        }
        try {
          await reached.take();
        } catch (error) {
          throw new AppError('STORE_UNAVAILABLE', 'The database does not respond.', { cause: error, retryAfterSec: 1 });
        }
        const unreadable = unreadableDeployments();
        return {
          status: unreadable > 0 ? ('degraded' as const) : ('ready' as const),
          unreadable_deployments: unreadable,
        };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/metrics',
      scope: null,
      tag: 'Operations',
      summary: 'Metrics for Prometheus',
      quiet: true,
      response: Type.String(),
      produces: ['text/plain'],
      examples: { response: 'kindred_records_stored_total{kind="event"} 1000' },
      async handler({ reply }) {
        reply.type('text/plain; version=0.0.4; charset=utf-8');
        return figures.take();
      },
    }),
  ];
}
