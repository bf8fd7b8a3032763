// Responses to requests that match no call of the API: unknown path, wrong method, or invalid HTTP.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';
import { wasHeldUp } from './pipelining.ts';
import { PROBLEM_TYPE, toProblem } from './problem.ts';
import { newRequestId } from './request-id.ts';
import type { Route } from './route.ts';

// Importing it would also load Node's fetch, which takes 50 ms at every start of the service.
const { STATUS_CODES } = process.getBuiltinModule('node:http');

/** The error for a request without a route: unknown path, or a path with other methods. */
export function unroutedRefusal(routes: readonly Route[]): (request: FastifyRequest, reply: FastifyReply) => AppError {
  const patterns = routes.map(({ method, path }) => ({
    method,
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')}/?$`),
  }));
  return ({ url, method }, reply) => {
    const path = url.split('?', 1)[0];
    const methods = patterns.filter(({ pattern }) => pattern.test(path)).map((known) => known.method);
    if (methods.length === 0)
      return new AppError('ROUTE_NOT_FOUND', `The path ${path.slice(0, 128)} does not exist. See /docs.`);
    reply.header('allow', methods.join(', '));
    return new AppError('METHOD_NOT_ALLOWED', `${path} supports ${methods.join(', ')}, not ${method}.`);
  };
}

const TIMEOUT = 'ERR_HTTP_REQUEST_TIMEOUT';
const BROKEN_REQUESTS: Record<string, AppError> = {
  [TIMEOUT]: new AppError('REQUEST_TIMEOUT', 'The request did not arrive in time.'),
  HPE_HEADER_OVERFLOW: new AppError('INVALID_REQUEST', 'The headers are too large.'),
};
const NOT_HTTP = new AppError('INVALID_REQUEST', 'The request is not valid HTTP.');

/** Handles input that is not valid HTTP, so has no route and no log line of its own. */
export function refuseBrokenRequest(this: FastifyInstance, error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return void socket.destroy();
  if (error.code === TIMEOUT && wasHeldUp(socket)) return;
  const reqId = refuseConnection(socket, BROKEN_REQUESTS[error.code ?? ''] ?? NOT_HTTP);
  this.log.debug({ err: error.message, reqId }, 'broken request');
}

/** Handles requests that Node would otherwise refuse without a problem document, or drop. An unknown expectation is ignored. */
export function refuseOddRequests({ server }: FastifyInstance): void {
  server.on('connect', (_request, socket) =>
    refuseConnection(socket as Socket, new AppError('METHOD_NOT_ALLOWED', 'This service is no proxy.')),
  );
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

/** HTTP/1.1 requires the header; Node's own check must be off. */
export function hostRefusal({ headers, httpVersion }: IncomingMessage): AppError | null {
  if (headers.host !== undefined || httpVersion !== '1.1') return null;
  return new AppError('INVALID_REQUEST', 'The header "Host" is missing.');
}

/** Returns the id of the request. */
function refuseConnection(socket: Socket, refusal: AppError): string {
  const id = newRequestId(undefined);
  const problem = JSON.stringify(toProblem(refusal, '', id));
  if (socket.writable) {
    socket.write(
      `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\ncontent-type: ${PROBLEM_TYPE}\r\ncontent-length: ${Buffer.byteLength(problem)}\r\nconnection: close\r\n\r\n${problem}`,
    );
  }
  socket.destroySoon();
  return id;
}
