// Turns the error of every failed call into an RFC 9457 problem document. An error that is neither an AppError nor a known
// Fastify error is unexpected: it is logged once with its stack, and its message is not sent.
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { AppError, ERROR_CODES, type ErrorCode } from '../errors.ts';

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

/** The response to a hostile request must not be larger than the request. */
const MAX_DETAIL_LENGTH = 2000;
const MAX_ERRORS = 50;
const INVALID_TOKEN = 'Bearer realm="kindred", error="invalid_token"';

/** The address a problem's `type` points to: the code's line on the documentation page. */
export const problemType = (code: ErrorCode): string => `/docs/errors#${code}`;

export function toProblem(error: AppError, path: string, requestId: string): Record<string, unknown> {
  return {
    type: problemType(error.code),
    title: ERROR_CODES[error.code].title,
    status: error.status,
    detail: error.message.slice(0, MAX_DETAIL_LENGTH),
    instance: path,
    code: error.code,
    request_id: requestId,
    ...(error.errors && { errors: error.errors.slice(0, MAX_ERRORS) }),
    ...error.extra,
  };
}

export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = isGone(request) ? CLIENT_GONE : toAppError(error);
  if (known.code === 'INTERNAL_ERROR') request.log.error({ err: error }, 'unexpected error');
  if (known.code === 'STORE_UNAVAILABLE') request.log.warn({ err: known.cause ?? known }, 'a call failed in the store');
  if (known.retryAfterSec !== undefined) reply.header('retry-after', Math.max(1, Math.ceil(known.retryAfterSec)));
  if (known.status === 401) reply.header('www-authenticate', known.challenge ?? INVALID_TOKEN);
  if (known.code === 'INSUFFICIENT_SCOPE') {
    reply.header('www-authenticate', `Bearer realm="kindred", error="insufficient_scope"`);
  }
  // The rest of a slow request may never arrive, so no other request can follow on its connection. Of all others Node reads the
  // rest. Fastify would close the connection, and a client that still sends would not get the response.
  const mayStall = known.code === 'SHUTTING_DOWN' || known.code === 'REQUEST_TIMEOUT';
  reply.header('connection', mayStall || !reply.raw.shouldKeepAlive ? 'close' : 'keep-alive');
  if (known.code === 'UNSUPPORTED_MEDIA_TYPE') reply.header('accept-encoding', 'gzip, br, zstd');
  return reply
    .code(known.status)
    .type(PROBLEM_TYPE)
    .send(JSON.stringify(toProblem(known, request.url.split('?', 1)[0], request.id)));
}

/** The client disconnected before its request was complete. Nobody reads the response, but logs and metrics must not count it as a server error. */
export const CLIENT_GONE = new AppError('INVALID_REQUEST', 'The client disconnected.');

function isGone({ raw }: FastifyRequest): boolean {
  return raw.destroyed && !raw.complete;
}

export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const { code, statusCode } = error as FastifyError;
  switch (code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send JSON with the header Content-Type: application/json.');
    case 'FST_ERR_BAD_URL':
      return new AppError('INVALID_REQUEST', 'The address is not a valid URL.');
  }
  // Fastify's own 4xx errors are caused by the client; their messages are only about the request.
  if (typeof code === 'string' && code.startsWith('FST_ERR') && statusCode && statusCode >= 400 && statusCode < 500) {
    return new AppError('INVALID_REQUEST', (error as Error).message || 'Bad request.');
  }
  return new AppError('INTERNAL_ERROR', 'An internal error occurred. The log has the details under this request_id.', {
    cause: error,
  });
}
