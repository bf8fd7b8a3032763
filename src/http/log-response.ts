// The line of the log for a call.
import type { FastifyRequest } from 'fastify';
import type { Logger } from '../observability/logger.ts';
import type { Route } from './route.ts';

/** Used in logs and metrics, as proxies do: the client disconnected before the response. */
export const CLIENT_GONE_STATUS = 499;

export interface SentResponse {
  readonly status: number;
  readonly seconds: number;
}

/** Logs a response. Builds no line if its level is off, as for most calls. */
export function logResponse(
  request: FastifyRequest,
  route: Route,
  log: Logger,
  { status, seconds }: SentResponse,
): void {
  const level = route.quiet && status < 400 ? 'debug' : 'info';
  if (!log.isLevelEnabled(level)) return;
  const line = {
    method: route.method,
    route: route.path,
    status,
    ms: Math.round(seconds * 1e5) / 100,
    ...(request.caller.accountId && { account_id: request.caller.accountId }),
  };
  request.log[level](line, status === CLIENT_GONE_STATUS ? 'client disconnected' : 'answered');
}
