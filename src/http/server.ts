// The HTTP frame: turns a table of routes into a Fastify server. It reads in the order of a request's life:
//   id and log line → is the service ready → credentials and scope → body (inflate, parse) → schemas → handler → response.
//
// To add a call:
//   1. Write its schemas in src/http/schemas/ (or next to the route) with `closed({...})`: TypeBox objects that reject
//      unknown fields. They are the source of types, validation and of /openapi.json.
//   2. In the resource's file in src/http/routes/, add one `defineRoute({...})` to the array its function returns:
//        export function jobRoutes({ jobs }: JobRoutesParts): Route[] {
//          return [
//            defineRoute({
//              method: 'GET', path: '/get-job', tag: 'Jobs', summary: 'Read one job',
//              query: closed({ project_id: ServiceId, job_id: ServiceId }),
//              response: JobAnswer,
//              errors: ['JOB_NOT_FOUND'],
//              examples: { request: { project_id: 'prj_…', job_id: 'job_…' }, response: {…} },
//              handler: async ({ query, caller }) => toAnswer(await jobs.get(caller.accountId, …)),
//            }),
//          ];
//        }
//   3. A new file: add its function to the table in src/compose.ts.
// A handler returns the value (sent as JSON) or throws an AppError with a code of src/errors.ts.
// Types are never coerced; the query string gives integers and booleans. A token's scope for the call is its path.
import { performance } from 'node:perf_hooks';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { ByteBudget } from '../domain/byte-budget.ts';
import { isTracing, traced } from '../domain/trace.ts';
import type { AppError } from '../errors.ts';
import type { Logger } from '../observability/logger.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { ServingTimes } from '../observability/serving-times.ts';
import { onBehalfOf } from '../store/on-behalf-of.ts';
import { addAnswerLimits, MAX_ANSWER_BYTES_IN_FLIGHT, STALLED_ANSWER_MS } from './answer-limits.ts';
import { type AuditTrail, auditModeOf } from './audit/audit-trail.ts';
import type { BasicKeys } from './auth/basic-keys.ts';
import { browserCallOf } from './auth/browser-calls.ts';
import type { BrowserKeys } from './auth/browser-keys.ts';
import type { ConsoleSessions } from './auth/console-sessions.ts';
import { addBodyParsers, MAX_BYTES_IN_FLIGHT, NO_BODY } from './body.ts';
import { MAX_BODY_BYTES } from './body-class.ts';
import { BODY_CLOCK, type BodyClock } from './body-pace.ts';
import { ParserPool } from './bulk/parser-pool.ts';
import { addCompression } from './compression.ts';
import { ConnectionGuard, type ConnectionLimits, DEFAULT_CONNECTIONS_PER_ADDRESS } from './connection-guard.ts';
import type { Lifecycle } from './lifecycle.ts';
import { CLIENT_GONE_STATUS, logAnswer } from './log-answer.ts';
import { answerBrokenRequest, unroutedRefusal } from './no-call.ts';
import { answerError } from './problem.ts';
import { requestReader } from './read-request.ts';
import { newRequestId } from './request-id.ts';
import { REQUEST_ID, RequestLog } from './request-log.ts';
import { beginBodyStep, beginCallTrace, endBodyStep, endCallTrace } from './request-trace.ts';
import { type Caller, JSON_TYPE, type Route, rulesOf, scopeOf } from './route.ts';
import { compileSchema, compileValidator, refuseProto } from './validation.ts';

/** Authenticates the caller. Synchronous for credentials seen before, so that the hot path does not wait. Throws AppError. */
export type Authenticate = (request: FastifyRequest, scope: string) => Caller | Promise<Caller>;

export interface ServerParts {
  routes: readonly Route[];
  authenticate: Authenticate;
  /** Calls of web pages, for the few routes that take them; default: none is taken. */
  browsers?: BrowserKeys;
  /** Calls with HTTP Basic, for routes that accept it; default: none is taken. */
  basics?: BasicKeys;
  /** Calls of people who signed in to the console; default: none is taken. */
  sessions?: ConsoleSessions;
  /** Where times of calls for lists are counted; default: nowhere. */
  times?: ServingTimes;
  /** Where changes are written down; default: nowhere. */
  audit?: AuditTrail;
  lifecycle: Lifecycle;
  metrics: Metrics;
  log: Logger;
  /** For tests: checks every response against its schema and fails the call if it differs. */
  checkAnswers?: boolean;
  bodyBudget?: ByteBudget;
  bodyClock?: BodyClock;
  answerBudget?: ByteBudget;
  stalledAnswerMs?: number;
  connectionLimits?: ConnectionLimits;
  /** Addresses of proxies whose X-Forwarded-For is believed. */
  trustedProxies?: readonly string[];
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller;
    /** What the route's `beforeBody` returned. */
    admission: unknown;
  }
}

const IDLE_SWEEP_MS = 50;
/** From the connection, or the first byte of a later request, to the end of its headers. */
const HEADERS_TIMEOUT_MS = 10_000;
const CONNECTIONS_CHECK_MS = 2_000;
/** Limit for the rest of a request whose response was sent before its end. */
const UNREAD_BODY_MS = 10_000;
const NOBODY: Caller = Object.freeze({ accountId: '', keyId: '', scopes: [] });

export function createServer({
  routes,
  authenticate,
  browsers,
  basics,
  sessions,
  times,
  audit,
  lifecycle,
  metrics,
  log,
  checkAnswers,
  bodyBudget = new ByteBudget(MAX_BYTES_IN_FLIGHT),
  bodyClock = BODY_CLOCK,
  answerBudget = new ByteBudget(MAX_ANSWER_BYTES_IN_FLIGHT),
  stalledAnswerMs = STALLED_ANSWER_MS,
  connectionLimits = { perAddress: DEFAULT_CONNECTIONS_PER_ADDRESS },
  trustedProxies = [],
}: ServerParts): FastifyInstance {
  const app = Fastify({
    loggerInstance: new RequestLog(log) as unknown as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: REQUEST_ID }),
    genReqId: (raw) => newRequestId(raw.headers['x-request-id']),
    bodyLimit: MAX_BODY_BYTES,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 256 },
    requestTimeout: 300_000,
    http: { headersTimeout: HEADERS_TIMEOUT_MS, connectionsCheckingInterval: CONNECTIONS_CHECK_MS },
    keepAliveTimeout: 72_000,
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    forceCloseConnections: 'idle',
    // During shutdown our own hook responds with a problem document.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) =>
      void answerError(error, request as FastifyRequest, reply as FastifyReply),
    clientErrorHandler: answerBrokenRequest,
  });
  app.setValidatorCompiler(compileValidator as never);
  app.setErrorHandler((error, request, reply) => answerError(error, request, reply));
  app.decorateRequest('caller', null as never);
  app.decorateRequest('admission', null);
  app.decorateRequest('trace', null);
  app.decorateRequest('bodyRead', null);
  const guard = new ConnectionGuard(connectionLimits);
  guard.watch(app.server);
  const elsewhere = metrics.forRoute('*', 'none');
  const refuseUnrouted = unroutedRefusal(routes);
  app.addHook('onRequest', (request, reply, done) => {
    request.caller = NOBODY;
    request.bodyRules = NO_BODY;
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
    if (!request.is404) return done();
    // Before the body is read, because nobody would use it.
    reply.raw.once('close', () => {
      elsewhere.observe(reply.statusCode, reply.elapsedTime / 1000);
      endUnreadBody(request);
    });
    done(refuseUnrouted(request, reply));
  });
  // Includes missing files of the console's folder.
  app.setNotFoundHandler((request, reply) => answerError(refuseUnrouted(request, reply), request, reply));
  const parsers = new ParserPool();
  app.addHook('onClose', () => parsers.close());
  addBodyParsers(app, { budget: bodyBudget, clock: bodyClock, parsers });
  addAnswerLimits(app, answerBudget, stalledAnswerMs);
  addCompression(app);

  for (const route of routes)
    addRoute(app, route, {
      authenticate,
      browsers,
      basics,
      sessions,
      times,
      audit,
      lifecycle,
      metrics,
      log,
      checkAnswers,
      guard,
    });
  return app;
}

/** Stops accepting, finishes calls in flight, and closes each connection when it is idle. */
export async function closeServer(app: FastifyInstance): Promise<void> {
  const sweep = setInterval(() => app.server.closeIdleConnections(), IDLE_SWEEP_MS);
  try {
    await app.close();
  } finally {
    clearInterval(sweep);
  }
}

type RouteContext = Pick<
  ServerParts,
  | 'authenticate'
  | 'browsers'
  | 'basics'
  | 'sessions'
  | 'times'
  | 'audit'
  | 'lifecycle'
  | 'metrics'
  | 'log'
  | 'checkAnswers'
> & {
  guard: ConnectionGuard;
};

function addRoute(app: FastifyInstance, route: Route, context: RouteContext): void {
  const { authenticate, browsers, basics, sessions, times, audit, lifecycle, metrics, log, checkAnswers, guard } =
    context;
  const scope = scopeOf(route);
  const rules = rulesOf(route);
  const figures = metrics.forRoute(route.method, route.path);
  const callName = `${route.method} ${route.path}`;
  const readRequest = requestReader(route);
  const wrongAnswer = checkAnswers ? compileSchema(route.response) : null;
  const auditMode = audit ? auditModeOf(route) : 'none';
  const browserCall = browsers ? browserCallOf(route) : null;
  if (browsers && browserCall) addPreflight(app, route, browsers, lifecycle);

  /** By what the request brings and the route takes. */
  function prove(request: FastifyRequest, reply: FastifyReply, wanted: string): Caller | Promise<Caller> {
    if (route.acceptsBasic && basics?.isOwn(request)) return basics.authenticate(request, reply, wanted);
    if (browserCall && browsers?.isOwn(request)) return browsers.authenticate(request, reply, { scope: wanted });
    if (sessions?.isOwn(request)) return sessions.authenticate(request, reply, wanted);
    return authenticate(request, wanted);
  }

  async function recorded(answering: unknown, { body, params, caller, id }: FastifyRequest): Promise<unknown> {
    const answer = await answering;
    await audit?.record(auditMode, { caller, operation: route.path, requestId: String(id), body, params, answer });
    return answer;
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
      const startedMs = performance.now();
      reply.raw.once('close', () => {
        const seconds = (performance.now() - startedMs) / 1000;
        const status = reply.raw.writableFinished ? reply.statusCode : CLIENT_GONE_STATUS;
        figures.observe(status, seconds);
        if (trace !== null) endCallTrace(request, status);
        if (route.isList && status === 200) times?.observe(request.caller.accountId, seconds * 1000);
        logAnswer(request, route, log, { status, seconds });
        endUnreadBody(request);
      });
      if (scope === null) return done();
      const refusal = lifecycle.refusal();
      if (refusal) return done(refusal);
      const admit = (proven: Caller): void => {
        request.caller = proven;
        // Anybody can have a browser key, so it frees no connection from the limits of strangers.
        if (proven.onlyProjectId === undefined) guard.proven(request.raw.socket);
        const params = request.params as Record<string, string | undefined>;
        request.admission = route.beforeBody?.({ caller: proven, params });
      };
      let proving: Promise<void> | undefined;
      let failure: AppError | undefined;
      try {
        const proof = () => prove(request, reply, scope);
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
        const refusal = refuseProto(request.body);
        if (refusal) return done(refusal);
      }
      readRequest(request);
      if (request.caller.onlyProjectId !== undefined) browserCall?.refuseOtherFields(request.body);
      done();
    },
    handler(request, reply) {
      const { body, query, params, caller, batch, admission, trace } = request;
      const handle = () => route.handler({ body, query, params, caller, request, reply, admission });
      const run = trace === null ? handle : () => trace.within(() => traced('handle', handle));
      // Calls without credentials share one account's share of the store.
      const answer = onBehalfOf(caller.accountId, run);
      const right = wrongAnswer ? checked(answer, wrongAnswer, route, reply) : answer;
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
      return browsers.answerPreflight(request, reply);
    },
  });
}

/** A client rejected while sending may finish its body, so that it reads the response, but not hold the connection forever. */
function endUnreadBody({ raw }: FastifyRequest): void {
  if (raw.complete) return;
  const timer = setTimeout(() => raw.socket.destroy(), UNREAD_BODY_MS).unref();
  raw.once('close', () => clearTimeout(timer));
}

const EMPTY_QUERY = { type: 'object', properties: {}, additionalProperties: false };

async function checked(
  answer: unknown,
  wrongAnswer: ReturnType<typeof compileSchema>,
  route: Route,
  reply: FastifyReply,
): Promise<unknown> {
  const value = await answer;
  const isText = (typeof value === 'string' || Buffer.isBuffer(value)) && reply.getHeader('content-type') === JSON_TYPE;
  if (!isText && (value === null || typeof value !== 'object' || 'raw' in value)) return value;
  const errors = wrongAnswer(JSON.parse(isText ? String(value) : JSON.stringify(value)));
  if (errors) throw new Error(`${route.path} returned what its schema does not allow: ${JSON.stringify(errors)}`);
  return value;
}
