// Every failed call is answered here, as an RFC 9457 problem document. What is not an AppError or a known refusal of Fastify
// is unexpected: logged once with its stack, answered without its message.
import { STATUS_CODES } from 'node:http';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { AppError, ERROR_CODES, type ErrorCode } from '../errors.ts';

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

/** A hostile request must not be answered with a larger one. */
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

export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = isGone(request) ? CLIENT_GONE : toAppError(error);
  if (known.code === 'INTERNAL_ERROR') request.log.error({ err: error }, 'unexpected error');
  if (known.code === 'STORE_UNAVAILABLE') request.log.warn({ err: known.cause ?? known }, 'the store failed a call');
  if (known.retryAfterSec !== undefined) reply.header('retry-after', Math.max(1, Math.ceil(known.retryAfterSec)));
  if (known.status === 401) reply.header('www-authenticate', known.challenge ?? INVALID_TOKEN);
  if (known.code === 'INSUFFICIENT_SCOPE') {
    reply.header('www-authenticate', `Bearer realm="kindred", error="insufficient_scope"`);
  }
  // Of a slow request the rest may never come: nothing else can follow on its connection.
  if (known.code === 'SHUTTING_DOWN' || known.code === 'REQUEST_TIMEOUT') reply.header('connection', 'close');
  if (known.code === 'UNSUPPORTED_MEDIA_TYPE') reply.header('accept-encoding', 'gzip, br, zstd');
  return reply
    .code(known.status)
    .type(PROBLEM_TYPE)
    .send(JSON.stringify(toProblem(known, request.url.split('?', 1)[0], request.id)));
}

/** The client broke off before its request was whole; nobody reads the answer, but logs and metrics must not blame the service. */
const CLIENT_GONE = new AppError('INVALID_REQUEST', 'The client went away.');

function isGone({ raw }: FastifyRequest): boolean {
  return raw.destroyed && !raw.complete;
}

function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const { code, statusCode } = error as FastifyError;
  switch (code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send JSON, with the header Content-Type: application/json.');
    case 'FST_ERR_BAD_URL':
      return new AppError('INVALID_REQUEST', 'The address is not a valid URL.');
  }
  // Fastify's own refusals (4xx) are the client's; their messages are about the request only.
  if (typeof code === 'string' && code.startsWith('FST_ERR') && statusCode && statusCode >= 400 && statusCode < 500) {
    return new AppError('INVALID_REQUEST', (error as Error).message || STATUS_CODES[statusCode] || 'Bad request.');
  }
  return new AppError('INTERNAL_ERROR', 'Something unexpected happened. It has been logged under the request_id.', {
    cause: error,
  });
}
