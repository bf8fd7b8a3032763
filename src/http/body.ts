// Reads a body as its route declares (body-class.ts), decompressing gzip, br or zstd up to the limit. Parser threads inflate,
// parse and check bulk bodies; all others are small enough to parse here, one per turn of the event loop. Bytes count against
// a budget when they arrive, not when they are announced: a flood gets 503, and a client that announces much and sends little
// uses no budget. A body that stalls is rejected.
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ByteBudget } from '../base/byte-budget.ts';
import { traced } from '../base/trace.ts';
import { ownTurn } from '../base/turns.ts';
import { AppError } from '../errors.ts';
import type { BodyBlocks } from './body-blocks.ts';
import { BODY_CLASSES, MAX_BODY_BYTES } from './body-class.ts';
import type { BodyClock, BodyPace } from './body-pace.ts';
import type { BodyRules } from './body-rules.ts';
import type { Batch, BulkBody } from './bulk/bulk-bodies.ts';
import type { ParserPool } from './bulk/parser-pool.ts';
import { collectBody } from './collect-body.ts';
import { Inflater, isCompressed } from './inflater.ts';
import { parseJson, withoutMark } from './json-body.ts';

export const MAX_BYTES_IN_FLIGHT = 8 * MAX_BODY_BYTES;
/** Smaller bodies are not counted, and smaller batches of records are parsed on this thread, within 1 to 2 ms. */
const SMALL_BODY_BYTES = BODY_CLASSES.small.maxBytes;
/** Smaller bodies are parsed without waiting for a turn. */
const TINY_BODY_BYTES = 8 * 1024;

declare module 'fastify' {
  interface FastifyRequest {
    /** Bytes of this body counted in the budget. */
    bodyBytes: number;
    /** The body waits for its turn or is being parsed: its bytes stay in memory even if the client disconnects. */
    isBodyInUse: boolean;
    bodyRules: BodyRules;
    /** The records of a bulk body; null for other bodies. */
    batch: Batch | null;
  }
}

export interface BodyParts {
  budget: ByteBudget;
  clock: BodyClock;
  parsers: ParserPool;
}

export const NO_BODY: BodyRules = { ...BODY_CLASSES.small, acceptsForm: false, acceptsText: false, bulk: null };

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
  app.decorateRequest('isBodyInUse', false);
  app.decorateRequest('bodyRules', null as never);
  app.decorateRequest('batch', null);
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (isSmall(request)) return done(null, payload);
    const declaredBytes = Math.min(Number(request.headers['content-length']) || 0, request.bodyRules.maxBytes);
    if (!budget.hasRoom(request.caller.accountId, declaredBytes)) return done(overloaded());
    // 'close' fires once per response, even if the client disconnected.
    reply.raw.once('close', () => {
      if (!request.isBodyInUse) letGo(request);
    });
    done(null, payload);
  });

  async function read(request: FastifyRequest, body: BodyBlocks): Promise<unknown> {
    const { bulk, maxBytes } = request.bodyRules;
    const contentEncoding = request.headers['content-encoding'];
    const { accountId } = request.caller;
    const isWanted = () => !request.raw.socket.destroyed;
    if (bulk && (isCompressed(contentEncoding) || body.length > SMALL_BODY_BYTES)) {
      const open = () => parsers.open({ accountId, name: bulk.name, blocks: body.owned(), contentEncoding, isWanted });
      const { frame, batch } = await (request.trace === null ? open() : request.trace.within(open));
      letGo(request);
      request.batch = batch;
      return { ...frame, [bulk.field]: batch };
    }
    const raw = body.whole();
    const bytes = isCompressed(contentEncoding)
      ? await inflater.inflate({ accountId, raw, contentEncoding, limitBytes: maxBytes, isWanted })
      : raw;
    if (bytes.length > SMALL_BODY_BYTES) {
      letGo(request);
      hold(request, bytes.length);
    }
    await ownTurn();
    return parse(request, bytes);
  }

  async function readCounted(request: FastifyRequest, body: BodyBlocks): Promise<unknown> {
    request.isBodyInUse = true;
    try {
      return await read(request, body);
    } finally {
      request.isBodyInUse = false;
      // 'close' will not fire again.
      if (request.raw.socket.destroyed) letGo(request);
    }
  }

  const paceOf = ({ caller }: FastifyRequest, isCounted: boolean): BodyPace => {
    // Anybody can have a browser key.
    if (caller.accountId === '' || caller.onlyProjectId !== undefined) return clock.paces.anonymous;
    return isCounted ? clock.paces.large : clock.paces.small;
  };

  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    ['application/json', 'application/x-www-form-urlencoded', 'text/plain'],
    (request: FastifyRequest, payload: IncomingMessage, done) => {
      // The hot path: a small plain body is not counted and waits for nothing.
      const isCounted = !isSmall(request);
      const watch = {
        pace: paceOf(request, isCounted),
        eachWindow: clock.eachWindow,
        count: isCounted ? (bytes: number) => hold(request, bytes) : undefined,
      };
      collectBody(payload, request.bodyRules.maxBytes, watch, (error, body) => {
        if (error) {
          letGo(request);
          return done(error);
        }
        if (!isCounted && body.length <= TINY_BODY_BYTES) return parseInto(done, request, body.whole());
        readCounted(request, body).then((value) => done(null, value), done);
      });
    },
  );
}

const overloaded = (): AppError =>
  new AppError('OVERLOADED', 'Too many large bodies at once. Try again in a moment.', { retryAfterSec: 1 });

/**
 * Whether the body is uncompressed and small, or empty. Such bodies are not counted: connections are limited, and so are the
 * calls on each (pipelining.ts).
 */
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
  // Outside the try, because errors of the rest of the request are not about the body.
  done(failure, value);
}

function parse(request: FastifyRequest, bytes: Buffer): unknown {
  const { bodyRules } = request;
  if (!request.headers['content-type']?.startsWith('application/json')) {
    if (isOfType(request, FORM)) {
      if (bodyRules.acceptsForm) return parseForm(withoutMark(bytes));
      throw notJson();
    }
    if (isOfType(request, TEXT) && !bodyRules.acceptsText) throw notJson();
  }
  const json = () => parseJson(bytes, bodyRules);
  const value = request.trace === null ? json() : request.trace.within(() => traced('parse', json));
  return bodyRules.bulk ? openHere(request, bodyRules.bulk, value) : value;
}

const FORM = /^application\/x-www-form-urlencoded/i;
const TEXT = /^text\/plain/i;

const isOfType = ({ headers }: FastifyRequest, type: RegExp): boolean => type.test(headers['content-type'] ?? '');

const notJson = (): AppError =>
  new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send JSON with the header Content-Type: application/json.');

/** Does the work of a parser thread, for a small batch. */
function openHere(request: FastifyRequest, bulk: BulkBody, value: unknown): unknown {
  const { frame, records } = bulk.open(value);
  const batch: Batch = { check: async (schema, lists) => bulk.checkRecords(records, schema, lists), drop() {} };
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
