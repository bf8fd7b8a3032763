// The trace of a call: from its headers to the end of its response, with the steps before its handler.
import type { FastifyReply, FastifyRequest, RequestPayload } from 'fastify';
import { beginTrace, type OpenTrace } from '../base/trace.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** null if the request is not traced. */
    trace: OpenTrace | null;
    /** Ends the step of reading the body. */
    bodyRead: (() => void) | null;
  }
}

/** Continues the trace of the client, if it sends a `traceparent` (W3C Trace Context). */
export function beginCallTrace(request: FastifyRequest, name: string): OpenTrace | null {
  const { traceparent } = request.headers;
  const parent = typeof traceparent === 'string' ? traceparent : undefined;
  request.trace = beginTrace({ name, kind: 'call', parent });
  return request.trace;
}

/** A hook of Fastify, before the body is read. */
export function beginBodyStep(
  request: FastifyRequest,
  _reply: FastifyReply,
  payload: RequestPayload,
  done: (error: null, payload: RequestPayload) => void,
): void {
  request.bodyRead = request.trace?.step('read body') ?? null;
  done(null, payload);
}

export function endBodyStep(request: FastifyRequest): void {
  request.bodyRead?.();
  request.bodyRead = null;
}

export function endCallTrace(request: FastifyRequest, status: number): void {
  endBodyStep(request);
  const attributes = { 'http.response.status_code': status, 'kindred.request_id': String(request.id) };
  request.trace?.end({ failed: status >= 500, attributes });
}
