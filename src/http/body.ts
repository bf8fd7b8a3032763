// Reads a JSON body: gzip, br or zstd if the client says so, inflated off the main thread and cut off at the limit while it
// inflates. Its bytes are counted against a budget as they come, not as they are announced, so that a flood is answered 503
// and a client that announces much and sends little holds nothing; one that stalls half-way is refused.
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';
import type { BodyBudget } from './body-budget.ts';
import type { BodyPace } from './body-pace.ts';
import { collectBody } from './collect-body.ts';
import { Inflater } from './inflater.ts';

export const MAX_BODY_BYTES = 32 * 1024 * 1024;
export const MAX_BYTES_IN_FLIGHT = 16 * MAX_BODY_BYTES;
/** What every call takes at least. */
export const LEAST_BODY_LIMIT = 16 * 1024;
const SMALL_BODY_BYTES = 64 * 1024;

declare module 'fastify' {
  interface FastifyRequest {
    /** Bytes of this request's body that the budget counts. */
    bodyBytes: number;
  }
  interface FastifyContextConfig {
    acceptsForm?: boolean;
  }
}

export function addBodyParsers(app: FastifyInstance, budget: BodyBudget, pace: BodyPace): void {
  const inflater = new Inflater();
  const turns = new Turns();
  const hold = (request: FastifyRequest, bytes: number): void => {
    if (!budget.take(request.caller.accountId, bytes)) throw overloaded();
    request.bodyBytes += bytes;
  };
  const letGo = (request: FastifyRequest): void => {
    budget.giveBack(request.caller.accountId, request.bodyBytes);
    request.bodyBytes = 0;
  };

  app.decorateRequest('bodyBytes', 0);
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (isSmall(request)) return done(null, payload);
    const declaredBytes = Math.min(Number(request.headers['content-length']) || 0, MAX_BODY_BYTES);
    if (!budget.hasRoom(request.caller.accountId, declaredBytes)) return done(overloaded());
    // 'close' comes once for every answer, also when the client went away.
    reply.raw.once('close', () => letGo(request));
    done(null, payload);
  });

  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    ['application/json', 'application/x-www-form-urlencoded'],
    (request: FastifyRequest, payload: IncomingMessage, done) => {
      const limitBytes = limitOf(request);
      // The hot path, a small plain body, is not counted and does not wait for anything.
      if (isSmall(request)) {
        return collectBody(payload, limitBytes, null, (error, raw) => {
          if (error) done(error);
          else parseInto(done, request, raw);
        });
      }
      const watch = { count: (bytes: number) => hold(request, bytes), pace };
      collectBody(payload, limitBytes, watch, (error, raw) => {
        if (error) {
          letGo(request);
          return done(error);
        }
        inflater
          .inflate(raw, request.headers['content-encoding'], request.routeOptions.bodyLimit ?? MAX_BODY_BYTES)
          .then(async (bytes) => {
            letGo(request);
            // Of a client that went away meanwhile nothing will close again.
            if (!request.raw.socket.destroyed) hold(request, bytes.length);
            await turns.next();
            parseInto(done, request, bytes);
          })
          .catch(done);
      });
    },
  );
}

const overloaded = (): AppError =>
  new AppError('OVERLOADED', 'Too many large bodies at once. Try again in a moment.', { retryAfterSec: 1 });

/** One waiter a turn of the event loop, so that a small call among large ones waits for one of them and not for all. */
class Turns {
  #last: Promise<void> = Promise.resolve();

  next(): Promise<void> {
    this.#last = this.#last.then(() => nextTurn());
    return this.#last;
  }
}

/** Small and not compressed, or nothing at all: bounded by the number of connections, so it is not counted. */
function isSmall({ headers }: FastifyRequest): boolean {
  if (headers['content-encoding'] !== undefined || headers['transfer-encoding'] !== undefined) return false;
  return Number(headers['content-length'] ?? 0) <= SMALL_BODY_BYTES;
}

/** Fastify makes the options of a route anew each time they are asked for, which a call with a tiny body need not pay. */
function limitOf(request: FastifyRequest): number {
  if (Number(request.headers['content-length']) <= LEAST_BODY_LIMIT) return LEAST_BODY_LIMIT;
  return request.routeOptions.bodyLimit ?? MAX_BODY_BYTES;
}

function parseInto(done: (error: Error | null, value?: unknown) => void, request: FastifyRequest, bytes: Buffer): void {
  let value: unknown;
  let failure: Error | null = null;
  try {
    value = parse(request, bytes);
  } catch (error) {
    failure = error as Error;
  }
  // Outside the try: what the rest of the request throws is not about the body.
  done(failure, value);
}

function parse(request: FastifyRequest, bytes: Buffer): unknown {
  if (request.headers['content-type']?.startsWith('application/json')) return parseJson(bytes);
  const isForm = /^application\/x-www-form-urlencoded/i.test(request.headers['content-type'] ?? '');
  if (isForm && !request.routeOptions.config.acceptsForm) {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send JSON, with the header Content-Type: application/json.');
  }
  return isForm ? parseForm(bytes) : parseJson(bytes);
}

function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) throw new AppError('INVALID_JSON', 'The body is empty.');
  // Decoding leniently would store other characters than the client sent.
  if (!isUtf8(bytes)) throw new AppError('INVALID_JSON', 'The body is not valid UTF-8.');
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw new AppError('INVALID_JSON', `The body is not valid JSON: ${(error as Error).message}`);
  }
}

function parseForm(bytes: Buffer): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(bytes.toString('utf8'))) {
    if (Object.hasOwn(fields, name)) throw new AppError('INVALID_REQUEST', 'The form has a field twice.');
    fields[name] = value;
  }
  return fields;
}
