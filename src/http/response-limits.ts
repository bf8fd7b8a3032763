// Responses in memory: each has a size limit, all together have a budget, and a client that stops reading is disconnected.
// A streamed file needs little memory at any size, but its client must keep reading too.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { ByteBudget } from '../base/byte-budget.ts';
import { MAX_RESPONSE_BYTES, responseTooLarge } from '../domain/response-limit.ts';
import { AppError } from '../errors.ts';

export const MAX_RESPONSE_BYTES_IN_FLIGHT = 16 * MAX_RESPONSE_BYTES;
/** Time without progress after which a client is disconnected. */
export const STALLED_RESPONSE_MS = 20_000;
/** Smaller responses are not counted; the number of connections bounds them. */
const SMALL_RESPONSE_BYTES = 64 * 1024;

export function addResponseLimits(app: FastifyInstance, budget: ByteBudget, stalledMs: number): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (payload instanceof Readable) {
      cutOffWhenStalled(reply.raw, stalledMs);
      return done(null, payload);
    }
    const bytes = bytesOf(payload);
    if (bytes <= SMALL_RESPONSE_BYTES || request.raw.socket.destroyed) return done(null, payload);
    if (bytes > MAX_RESPONSE_BYTES) return done(responseTooLarge());
    const { accountId } = request.caller;
    if (!budget.take(accountId, bytes)) {
      const detail = 'Too many large responses at once. Read the ones already sent, then try again.';
      return done(new AppError('OVERLOADED', detail, { retryAfterSec: 1 }));
    }
    // Fires once per response, read or not.
    reply.raw.once('close', () => budget.giveBack(accountId, bytes));
    cutOffWhenStalled(reply.raw, stalledMs);
    done(null, payload);
  });
}

/**
 * Watches the response only while it owns the connection: it may wait for earlier responses, and later ones have their
 * own time.
 */
function cutOffWhenStalled(response: ServerResponse, stalledMs: number): void {
  const begin = (socket: Socket): void => {
    // A call injected into the server has no connection to close.
    socket.setTimeout?.(stalledMs);
    // Must run before Node's own listener, which gives the connection to the next response or sets the time limit of an
    // idle one.
    response.prependOnceListener('finish', () => socket.setTimeout?.(0));
  };
  if (response.socket === null) response.once('socket', begin);
  else begin(response.socket);
}

function bytesOf(payload: unknown): number {
  if (Buffer.isBuffer(payload)) return payload.length;
  if (typeof payload !== 'string') return 0;
  // Small responses skip the counting, which takes time.
  return payload.length <= SMALL_RESPONSE_BYTES / 3 ? payload.length : Buffer.byteLength(payload);
}
