// Reads a body as its route declares (body-class.ts): gzip, br or zstd if the client says so, cut off at the limit while it
// inflates. Bulk bodies are inflated, parsed and checked by parser threads; all others are small enough to be parsed here, one
// in a turn of the event loop. Bytes are counted against a budget as they come, not as they are announced, so that a flood is
// answered 503 and a client that announces much and sends little holds nothing; one that stalls half-way is refused.
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ownTurn } from '../domain/turns.ts';
import { AppError } from '../errors.ts';
import type { BodyBlocks } from './body-blocks.ts';
import { BODY_CLASSES, type BodyRules, MAX_BODY_BYTES } from './body-class.ts';
import type { BodyClock, BodyPace } from './body-pace.ts';
import type { Batch, BulkBody } from './bulk/bulk-bodies.ts';
import type { ParserPool } from './bulk/parser-pool.ts';
import type { ByteBudget } from './byte-budget.ts';
import { collectBody } from './collect-body.ts';
import { Inflater, isCompressed } from './inflater.ts';
import { parseJson, withoutMark } from './json-body.ts';

export const MAX_BYTES_IN_FLIGHT = 8 * MAX_BODY_BYTES;
/** Up to this a body is not counted, and a batch of records is parsed on this thread, in a millisecond or two. */
const SMALL_BODY_BYTES = BODY_CLASSES.small.maxBytes;
/** Up to this a body is parsed at once, without waiting for its turn. */
const TINY_BODY_BYTES = 8 * 1024;

declare module 'fastify' {
  interface FastifyRequest {
    /** Bytes of this request's body that the budget counts. */
    bodyBytes: number;
    bodyRules: BodyRules;
    /** The records of a bulk body. */
    batch: Batch | null;
  }
}

export interface BodyParts {
  budget: ByteBudget;
  clock: BodyClock;
  parsers: ParserPool;
}

export const NO_BODY: BodyRules = { ...BODY_CLASSES.small, acceptsForm: false, bulk: null };

export function addBodyParsers(app: FastifyInstance, { budget, clock, parsers }: BodyParts): void {
  const inflater = new Inflater();
  const hold = (request: FastifyRequest, bytes: number): void => {
    if (!budget.take(request.caller.accountId, bytes)) throw overloaded();
    request.bodyBytes += bytes;
  };
  const letGo = (request: FastifyRequest): void => {
    budget.giveBack(request.caller.accountId, request.bodyBytes);
    request.bodyBytes = 0;
  };

  app.decorateRequest('bodyBytes', 0);
  app.decorateRequest('bodyRules', null as never);
  app.decorateRequest('batch', null);
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (isSmall(request)) return done(null, payload);
    const declaredBytes = Math.min(Number(request.headers['content-length']) || 0, request.bodyRules.maxBytes);
    if (!budget.hasRoom(request.caller.accountId, declaredBytes)) return done(overloaded());
    // 'close' comes once for every answer, also when the client went away.
    reply.raw.once('close', () => letGo(request));
    done(null, payload);
  });

  async function read(request: FastifyRequest, body: BodyBlocks): Promise<unknown> {
    const { bulk, maxBytes } = request.bodyRules;
    const encoding = request.headers['content-encoding'];
    if (bulk && (isCompressed(encoding) || body.length > SMALL_BODY_BYTES)) {
      const { frame, batch } = await parsers.open({
        accountId: request.caller.accountId,
        name: bulk.name,
        blocks: body.owned(),
        contentEncoding: encoding,
        isWanted: () => !request.raw.socket.destroyed,
      });
      letGo(request);
      request.batch = batch;
      return { ...frame, [bulk.field]: batch };
    }
    const bytes = await inflater.inflate(body.whole(), encoding, maxBytes);
    if (bytes.length > SMALL_BODY_BYTES) {
      letGo(request);
      // Of a client that went away meanwhile nothing will close again.
      if (!request.raw.socket.destroyed) hold(request, bytes.length);
    }
    await ownTurn();
    return parse(request, bytes);
  }

  const paceOf = (request: FastifyRequest): BodyPace => {
    if (request.caller.accountId === '') return clock.paces.anonymous;
    return isSmall(request) ? clock.paces.small : clock.paces.large;
  };

  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    ['application/json', 'application/x-www-form-urlencoded'],
    (request: FastifyRequest, payload: IncomingMessage, done) => {
      // The hot path, a small plain body, is not counted and does not wait for anything.
      const isCounted = !isSmall(request);
      const watch = {
        pace: paceOf(request),
        eachWindow: clock.eachWindow,
        ...(isCounted && { count: (bytes: number) => hold(request, bytes) }),
      };
      collectBody(payload, request.bodyRules.maxBytes, watch, (error, body) => {
        if (error) {
          letGo(request);
          return done(error);
        }
        if (!isCounted && body.length <= TINY_BODY_BYTES) return parseInto(done, request, body.whole());
        read(request, body).then((value) => done(null, value), done);
      });
    },
  );
}

const overloaded = (): AppError =>
  new AppError('OVERLOADED', 'Too many large bodies at once. Try again in a moment.', { retryAfterSec: 1 });

/** Small and not compressed, or nothing at all: bounded by the number of connections, so it is not counted. */
function isSmall({ headers }: FastifyRequest): boolean {
  if (headers['content-encoding'] !== undefined || headers['transfer-encoding'] !== undefined) return false;
  return Number(headers['content-length'] ?? 0) <= SMALL_BODY_BYTES;
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
  const { bodyRules } = request;
  if (!request.headers['content-type']?.startsWith('application/json') && isForm(request)) {
    if (bodyRules.acceptsForm) return parseForm(withoutMark(bytes));
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send JSON, with the header Content-Type: application/json.');
  }
  const value = parseJson(bytes, bodyRules);
  return bodyRules.bulk ? openHere(request, bodyRules.bulk, value) : value;
}

const isForm = ({ headers }: FastifyRequest): boolean =>
  /^application\/x-www-form-urlencoded/i.test(headers['content-type'] ?? '');

/** What a parser thread does, for a batch that is small. */
function openHere(request: FastifyRequest, bulk: BulkBody, value: unknown): unknown {
  const { frame, records } = bulk.open(value);
  const batch: Batch = { check: async (schema) => bulk.checkRecords(records, schema), drop() {} };
  request.batch = batch;
  return { ...frame, [bulk.field]: batch };
}

function parseForm(bytes: Buffer): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(bytes.toString('utf8'))) {
    if (Object.hasOwn(fields, name)) throw new AppError('INVALID_REQUEST', 'The form has a field twice.');
    fields[name] = value;
  }
  return fields;
}
