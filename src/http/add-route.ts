// Adds one route to the server: handles its requests from the first header to the last byte of the response.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Runtime, systemRuntime } from '../base/runtime.ts';
import { isTracing, traced } from '../base/trace.ts';
import type { AppError } from '../errors.ts';
import type { Logger } from '../observability/logger.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { ServingTimes } from '../observability/serving-times.ts';
import { onBehalfOf } from '../store/on-behalf-of.ts';
import { type AuditTrail, auditModeOf } from './audit/audit-trail.ts';
import type { BasicKeys } from './auth/basic-keys.ts';
import { browserCallOf } from './auth/browser-calls.ts';
import type { BrowserKeys } from './auth/browser-keys.ts';
import type { ConsoleSessions } from './auth/console-sessions.ts';
import { rulesOf } from './body-rules.ts';
import type { ConnectionGuard } from './connection-guard.ts';
import type { Lifecycle } from './lifecycle.ts';
import { tokenBinder } from './list-tokens.ts';
import { CLIENT_GONE_STATUS, logResponse } from './log-response.ts';
import { requestReader } from './read-request.ts';
import { beginBodyStep, beginCallTrace, endBodyStep, endCallTrace } from './request-trace.ts';
import { type Caller, JSON_TYPE, NOBODY, type Route, scopeOf } from './route.ts';
import { endUnreadBody } from './unread-body.ts';
import { refuseUnusable } from './unusable-value.ts';
import { compileSchema } from './validation.ts';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller;
    /** The value that the route's `beforeBody` returned. */
    admission: unknown;
  }
}

/** Authenticates the caller. Synchronous for credentials seen before, so that the hot path does not wait. Throws AppError. */
export type Authenticate = (request: FastifyRequest, scope: string) => Caller | Promise<Caller>;

/** Parts that all routes of a server share. */
export interface RouteParts {
  authenticate: Authenticate;
  /** Authenticates calls of web pages, on routes that accept browser keys; default: none are accepted. */
  browsers?: BrowserKeys;
  /** Authenticates calls with HTTP Basic, on routes that accept it; default: none are accepted. */
  basics?: BasicKeys;
  /** Authenticates people who signed in to the console; default: none are accepted. */
  sessions?: ConsoleSessions;
  /** Counts the times of calls for lists; default: they are not counted. */
  times?: ServingTimes;
  /** The audit log that records changes; default: none. */
  audit?: AuditTrail;
  lifecycle: Lifecycle;
  metrics: Metrics;
  log: Logger;
  /** For tests: checks every response against its schema and fails the call if it does not match. */
  checkResponses?: boolean;
  guard: ConnectionGuard;
  runtime?: Runtime;
}

export function addRoute(app: FastifyInstance, route: Route, parts: RouteParts): void {
  const { authenticate, browsers, basics, sessions, times, audit, lifecycle, metrics, log, checkResponses, guard } =
    parts;
  const { runtime = systemRuntime } = parts;
  const scope = scopeOf(route);
  const rules = rulesOf(route);
  const figures = metrics.forRoute(route.method, route.path);
  const callName = `${route.method} ${route.path}`;
  const readRequest = requestReader(route);
  const withTokens = tokenBinder(route);
  const wrongResponse = checkResponses ? compileSchema(route.response) : null;
  const auditMode = audit ? auditModeOf(route) : 'none';
  const browserCall = browsers ? browserCallOf(route) : null;
  if (browsers && browserCall) addPreflight(app, route, browsers, lifecycle);

  /** Authenticates with the method that the request uses and the route accepts. */
  function prove(request: FastifyRequest, reply: FastifyReply, wanted: string): Caller | Promise<Caller> {
    if (route.acceptsBasic && basics?.isOwn(request)) return basics.authenticate(request, reply, wanted);
    if (browserCall && browsers?.isOwn(request)) return browsers.authenticate(request, reply, { scope: wanted });
    if (sessions?.isOwn(request)) return sessions.authenticate(request, reply, wanted);
    return authenticate(request, wanted);
  }

  async function recorded(responding: unknown, { body, params, caller, id }: FastifyRequest): Promise<unknown> {
    const response = await responding;
    await audit?.record(auditMode, { caller, operation: route.path, requestId: String(id), body, params, response });
    return response;
  }

  app.route({
    method: route.method,
    url: route.path,
    errorHandler: route.errorHandler,
    schema: {
      ...(route.body && !route.lenientBody && !route.bulk && { body: route.body }),
      ...(route.query || route.method === 'GET' ? { querystring: route.query ?? EMPTY_QUERY } : {}),
      ...(route.params && { params: route.params }),
    },
    onRequest(request, reply, done) {
      request.bodyRules = rules;
      const trace = isTracing() ? beginCallTrace(request, callName) : null;
      const startedMs = runtime.monotonicMs();
      reply.raw.once('close', () => {
        const seconds = (runtime.monotonicMs() - startedMs) / 1000;
        const status = reply.raw.writableFinished ? reply.statusCode : CLIENT_GONE_STATUS;
        figures.observe(status, seconds);
        if (trace !== null) endCallTrace(request, status);
        if (route.isList && status === 200) times?.observe(request.caller.accountId, seconds * 1000, runtime.nowMs());
        logResponse(request, route, log, { status, seconds });
        endUnreadBody(request, runtime);
      });
      if (scope === null) return done();
      const refusal = lifecycle.refusal();
      if (refusal) return done(refusal);
      const admit = (proven: Caller): void => {
        request.caller = proven;
        // Anybody can have a browser key, so it does not exempt the connection from the limits.
        if (proven.onlyProjectId === undefined) guard.proven(request.raw.socket);
        const params = request.params as Record<string, string | undefined>;
        request.admission = route.beforeBody?.({ caller: proven, params });
      };
      let proving: Promise<void> | undefined;
      let failure: AppError | undefined;
      try {
        // Until the caller is known, its use of the store counts for calls without credentials.
        const proof = () => onBehalfOf(NOBODY.accountId, () => prove(request, reply, scope));
        const caller = trace === null ? proof() : trace.within(() => traced('authenticate', proof));
        if (caller instanceof Promise) proving = caller.then(admit);
        else admit(caller);
      } catch (error) {
        failure = error as AppError;
      }
      // Outside the try, because errors of the rest of the request are not about credentials.
      if (proving) proving.then(() => done(), done);
      else done(failure);
    },
    ...(isTracing() && { preParsing: beginBodyStep }),
    preValidation(request, _reply, done) {
      if (request.bodyRead !== null) endBodyStep(request);
      if (!route.bulk && request.body !== undefined) {
        const refusal = refuseUnusable(request.body);
        if (refusal) return done(refusal);
      }
      readRequest(request);
      if (request.caller.onlyProjectId !== undefined) browserCall?.refuseOtherFields(request.body);
      done();
    },
    handler(request, reply) {
      const { body, query, params, caller, batch, admission, trace } = request;
      const responding = () => route.handler({ body, query, params, caller, request, reply, admission, runtime });
      const handle = withTokens === null ? responding : () => withTokens(query as object, responding);
      const run = trace === null ? handle : () => trace.within(() => traced('handle', handle));
      const response = onBehalfOf(caller.accountId, run);
      const right = wrongResponse ? checked(response, wrongResponse, route, reply) : response;
      const final = auditMode === 'none' ? right : onBehalfOf(caller.accountId, () => recorded(right, request));
      // A batch rejected before its records were checked must not keep a parser thread.
      return batch === null ? final : Promise.resolve(final).finally(() => batch.drop());
    },
  });
}

function addPreflight(app: FastifyInstance, route: Route, browsers: BrowserKeys, lifecycle: Lifecycle): void {
  app.route({
    method: 'OPTIONS',
    url: route.path,
    async handler(request, reply) {
      const refusal = lifecycle.refusal();
      if (refusal) throw refusal;
      return onBehalfOf(NOBODY.accountId, () => browsers.sendPreflight(request, reply));
    },
  });
}

const EMPTY_QUERY = { type: 'object', properties: {}, additionalProperties: false };

async function checked(
  response: unknown,
  wrongResponse: ReturnType<typeof compileSchema>,
  route: Route,
  reply: FastifyReply,
): Promise<unknown> {
  const value = await response;
  const isText = (typeof value === 'string' || Buffer.isBuffer(value)) && reply.getHeader('content-type') === JSON_TYPE;
  if (!isText && (value === null || typeof value !== 'object' || 'raw' in value)) return value;
  const errors = wrongResponse(JSON.parse(isText ? String(value) : JSON.stringify(value)));
  if (errors) throw new Error(`${route.path} returned what its schema does not allow: ${JSON.stringify(errors)}`);
  return value;
}
