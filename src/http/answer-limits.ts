// Answers in memory: each has a size limit, all together a budget, and a client that stops reading is cut off. A file that is
// streamed holds little memory at any size, but its client must go on reading too.
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { answerTooLarge, MAX_ANSWER_BYTES } from '../domain/answer-limit.ts';
import { AppError } from '../errors.ts';
import type { ByteBudget } from './byte-budget.ts';

export const MAX_ANSWER_BYTES_IN_FLIGHT = 16 * MAX_ANSWER_BYTES;
/** Without any progress. */
export const STALLED_ANSWER_MS = 20_000;
/** Not counted: bounded by the number of connections. */
const SMALL_ANSWER_BYTES = 64 * 1024;

export function addAnswerLimits(app: FastifyInstance, budget: ByteBudget, stalledMs: number): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (payload instanceof Readable) {
      cutOffWhenStalled(request, stalledMs);
      return done(null, payload);
    }
    const bytes = bytesOf(payload);
    if (bytes <= SMALL_ANSWER_BYTES || request.raw.socket.destroyed) return done(null, payload);
    if (bytes > MAX_ANSWER_BYTES) return done(answerTooLarge());
    const { accountId } = request.caller;
    if (!budget.take(accountId, bytes)) {
      const detail = 'Too many large answers at once. Read those that were sent, and try again in a moment.';
      return done(new AppError('OVERLOADED', detail, { retryAfterSec: 1 }));
    }
    // Once for every answer, read or not.
    reply.raw.once('close', () => budget.giveBack(accountId, bytes));
    cutOffWhenStalled(request, stalledMs);
    done(null, payload);
  });
}

/** Until the answer is out; Node then sets the connection's own time limit again. */
function cutOffWhenStalled(request: FastifyRequest, stalledMs: number): void {
  // A call that is injected into the server, without a connection, has none to cut off.
  request.raw.socket.setTimeout?.(stalledMs);
}

function bytesOf(payload: unknown): number {
  if (Buffer.isBuffer(payload)) return payload.length;
  if (typeof payload !== 'string') return 0;
  // Counting takes time only where it decides something.
  return payload.length <= SMALL_ANSWER_BYTES / 3 ? payload.length : Buffer.byteLength(payload);
}
