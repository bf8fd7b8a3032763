// Compresses responses over 1 kB if the client accepts it, off the main thread.
import { pipeline, Readable } from 'node:stream';
import {
  brotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gzip,
  zstdCompress,
} from 'node:zlib';
import type { FastifyInstance } from 'fastify';

const MIN_BYTES = 1024;
const COMPRESSIBLE = /^(application\/(problem\+)?json|text\/|image\/svg\+xml|application\/javascript)/;
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

/** In order of preference: the encoding with the best trade-off of time and size comes first. */
const ENCODINGS = ['zstd', 'br', 'gzip'] as const;
type Encoding = (typeof ENCODINGS)[number];

/** Compressed forms of content that is sent repeatedly. */
const kept = new WeakMap<Buffer, Map<Encoding, Buffer>>();

/** Marks content that does not change, so that it is compressed once per encoding, however often it is sent. */
export function fixedContent(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content);
  kept.set(bytes, new Map());
  return bytes;
}

export function addCompression(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (!(typeof payload === 'string' || Buffer.isBuffer(payload) || payload instanceof Readable)) {
      return done(null, payload);
    }
    if (!(payload instanceof Readable) && payload.length <= MIN_BYTES) return done(null, payload);
    const type = reply.getHeader('content-type');
    if (reply.hasHeader('content-encoding') || !COMPRESSIBLE.test(String(type))) return done(null, payload);
    reply.header('vary', [reply.getHeader('vary') ?? [], 'accept-encoding'].flat().join(', '));
    const encoding = chooseEncoding(request.headers['accept-encoding'] ?? '');
    if (encoding === null) return done(null, payload);

    const mark = () => reply.header('content-encoding', encoding).removeHeader('content-length');
    if (payload instanceof Readable) {
      mark();
      const compressor =
        encoding === 'gzip' ? createGzip() : encoding === 'br' ? createBrotliCompress(BROTLI) : createZstdCompress();
      // If either side ends early (a failed read, a disconnected client), both sides and the file are closed.
      return done(
        null,
        pipeline(payload, compressor, () => {}),
      );
    }
    const forms = typeof payload === 'string' ? undefined : kept.get(payload);
    const finish = (error: Error | null, compressed: Buffer): void => {
      if (!error) {
        mark();
        forms?.set(encoding, compressed);
      }
      done(null, error ? payload : compressed);
    };
    const ready = forms?.get(encoding);
    if (ready !== undefined) return finish(null, ready);
    if (encoding === 'gzip') gzip(payload, { level: 4 }, finish);
    else if (encoding === 'br') brotliCompress(payload, BROTLI, finish);
    else zstdCompress(payload, finish);
  });
}

/** The first preferred encoding that the client accepts with a weight above zero. */
export function chooseEncoding(header: string): Encoding | null {
  const accepted = new Map<string, number>();
  for (const part of header.split(',')) {
    const [name, ...parameters] = part.trim().toLowerCase().split(';');
    const weight = parameters.map((text) => /^\s*q=([\d.]+)\s*$/.exec(text)?.[1]).find((text) => text !== undefined);
    accepted.set(name.trim(), weight === undefined ? 1 : Number(weight));
  }
  return ENCODINGS.find((encoding) => (accepted.get(encoding) ?? accepted.get('*') ?? 0) > 0) ?? null;
}
