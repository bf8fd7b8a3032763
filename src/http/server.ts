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
//              response: JobResponse,
//              errors: ['JOB_NOT_FOUND'],
//              examples: { request: { project_id: 'prj_…', job_id: 'job_…' }, response: {…} },
//              handler: async ({ query, caller }) => toResponse(await jobs.get(caller.accountId, …)),
//            }),
//          ];
//        }
//   3. A new file: add its function to the table in src/http/all-routes.ts.
// A handler returns the value (sent as JSON) or throws an AppError with a code of src/errors.ts.
// Types are never coerced; the query string gives integers and booleans. A token's scope for the call is its path.
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { ByteBudget } from '../base/byte-budget.ts';
import { type Runtime, systemRuntime } from '../base/runtime.ts';
import { addRoute, type RouteParts } from './add-route.ts';
import { addBodyParsers, MAX_BYTES_IN_FLIGHT, NO_BODY } from './body.ts';
import { MAX_BODY_BYTES } from './body-class.ts';
import { type BodyClock, bodyClock } from './body-pace.ts';
import { ParserPool } from './bulk/parser-pool.ts';
import { addCompression } from './compression.ts';
import { ConnectionGuard, type ConnectionLimits, DEFAULT_CONNECTIONS_PER_ADDRESS } from './connection-guard.ts';
import { hostRefusal, refuseBrokenRequest, refuseOddRequests, unroutedRefusal } from './no-call.ts';
import { limitPipelining } from './pipelining.ts';
import { sendError } from './problem.ts';
import { newRequestId } from './request-id.ts';
import { REQUEST_ID, RequestLog } from './request-log.ts';
import { addResponseLimits, MAX_RESPONSE_BYTES_IN_FLIGHT, STALLED_RESPONSE_MS } from './response-limits.ts';
import { NOBODY, type Route } from './route.ts';
import { endUnreadBody, readToEndBeforeClosing } from './unread-body.ts';
import { compileValidator } from './validation.ts';

export interface ServerParts extends Omit<RouteParts, 'guard'> {
  routes: readonly Route[];
  bodyBudget?: ByteBudget;
  bodyClock?: BodyClock;
  responseBudget?: ByteBudget;
  stalledResponseMs?: number;
  connectionLimits?: ConnectionLimits;
  /** Addresses of proxies whose X-Forwarded-For is trusted. */
  trustedProxies?: readonly string[];
}

const IDLE_SWEEP_MS = 50;
/** Time from the connection, or from the first byte of a later request, to the end of the headers. */
const HEADERS_TIMEOUT_MS = 10_000;
const CONNECTIONS_CHECK_MS = 2_000;

export function createServer(parts: ServerParts): FastifyInstance {
  const { routes, metrics, log, trustedProxies = [], runtime = systemRuntime } = parts;
  const app = Fastify({
    loggerInstance: new RequestLog(log) as unknown as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: REQUEST_ID }),
    genReqId: (raw) => newRequestId(raw.headers['x-request-id']),
    bodyLimit: MAX_BODY_BYTES,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 256 },
    requestTimeout: 300_000,
    http: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: CONNECTIONS_CHECK_MS,
      requireHostHeader: false,
    },
    keepAliveTimeout: 72_000,
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    forceCloseConnections: 'idle',
    // During shutdown our own hook responds with a problem document.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => void sendError(error, request as FastifyRequest, reply as FastifyReply),
    clientErrorHandler: refuseBrokenRequest,
  });
  app.setValidatorCompiler(compileValidator as never);
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply));
  app.decorateRequest('caller', null as never);
  app.decorateRequest('admission', null);
  app.decorateRequest('trace', null);
  app.decorateRequest('bodyRead', null);
  const guard = new ConnectionGuard(parts.connectionLimits ?? { perAddress: DEFAULT_CONNECTIONS_PER_ADDRESS });
  guard.watch(app.server);
  refuseOddRequests(app);
  limitPipelining(app);
  const elsewhere = metrics.forRoute('*', 'none');
  const refuseUnrouted = unroutedRefusal(routes);
  app.addHook('onRequest', (request, reply, done) => {
    request.caller = NOBODY;
    request.bodyRules = NO_BODY;
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
    const withoutHost = hostRefusal(request.raw);
    if (withoutHost !== null) return done(withoutHost);
    if (!request.is404) return done();
    // Ends the request before its body is read, because nobody would use it.
    reply.raw.once('close', () => {
      elsewhere.observe(reply.statusCode, reply.elapsedTime / 1000);
      endUnreadBody(request, runtime);
    });
    done(refuseUnrouted(request, reply));
  });
  // Includes missing files of the console's folder.
  app.setNotFoundHandler((request, reply) => sendError(refuseUnrouted(request, reply), request, reply));
  const parsers = new ParserPool();
  app.addHook('onClose', () => parsers.close());
  const bodyBudget = parts.bodyBudget ?? new ByteBudget(MAX_BYTES_IN_FLIGHT);
  addBodyParsers(app, { budget: bodyBudget, clock: parts.bodyClock ?? bodyClock(runtime), parsers });
  const responseBudget = parts.responseBudget ?? new ByteBudget(MAX_RESPONSE_BYTES_IN_FLIGHT);
  addResponseLimits(app, responseBudget, parts.stalledResponseMs ?? STALLED_RESPONSE_MS);
  addCompression(app);
  readToEndBeforeClosing(app, runtime);

  for (const route of routes) addRoute(app, route, { ...parts, guard });
  return app;
}

/** Stops accepting, finishes calls in flight, and closes each connection when it is idle. */
export async function closeServer(app: FastifyInstance, runtime: Runtime = systemRuntime): Promise<void> {
  const sweep = runtime.every(IDLE_SWEEP_MS, () => app.server.closeIdleConnections());
  try {
    await app.close();
  } finally {
    sweep.cancel();
  }
}
