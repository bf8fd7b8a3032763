// Inflates bodies off the main thread, up to a limit and only a few at a time, by turns of accounts. The inflated size is known
// only afterwards, so many small bodies must not grow at once.
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, zstdDecompress } from 'node:zlib';
import { plural } from '../base/plural.ts';
import { AppError } from '../errors.ts';
import { FairGate } from '../store/fair-gate.ts';
import { onBehalfOf } from '../store/on-behalf-of.ts';
import { CLIENT_GONE } from './problem.ts';

type Inflate = (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const INFLATERS: Record<string, Inflate> = {
  gzip: promisify(gunzip),
  // RFC 9110 defines it as an alias of gzip.
  'x-gzip': promisify(gunzip),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
};
/** One place per thread that inflates. Waiting bodies are counted in the budget of bodies instead of here. */
const GATE = { places: 4, placesOfAccount: 3, waitingOfAccount: Number.POSITIVE_INFINITY };

const normalized = (contentEncoding: string | undefined): string => contentEncoding?.trim().toLowerCase() ?? '';

export function isCompressed(contentEncoding: string | undefined): contentEncoding is string {
  return !['', 'identity'].includes(normalized(contentEncoding));
}

/** Throws an AppError that says what is wrong with the body. */
export async function inflate(raw: Buffer, contentEncoding: string | undefined, limitBytes: number): Promise<Buffer> {
  if (!isCompressed(contentEncoding)) return raw;
  const encoding = normalized(contentEncoding);
  if (!Object.hasOwn(INFLATERS, encoding)) {
    const known = Object.keys(INFLATERS).join(', ');
    throw new AppError(
      'UNSUPPORTED_MEDIA_TYPE',
      `Content-Encoding "${encoding.slice(0, 64)}" is not known; use one of ${known}.`,
    );
  }
  try {
    return await INFLATERS[encoding](raw, { maxOutputLength: limitBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
      throw new AppError(
        'BODY_TOO_LARGE',
        `The decompressed body is larger than ${plural(limitBytes, 'byte')}, the limit of this call.`,
      );
    }
    throw new AppError('INVALID_ENCODING', `The body is not valid ${encoding} data.`, { cause: error });
  }
}

export interface CompressedBody {
  accountId: string;
  raw: Buffer;
  contentEncoding: string;
  limitBytes: number;
  /** Called when the body's turn comes: false if its client is gone. */
  isWanted(): boolean;
}

export class Inflater {
  readonly #gate = new FairGate(GATE);

  inflate({ accountId, raw, contentEncoding, limitBytes, isWanted }: CompressedBody): Promise<Buffer> {
    return onBehalfOf(accountId, () =>
      this.#gate.run(async () => {
        if (!isWanted()) throw CLIENT_GONE;
        return inflate(raw, contentEncoding, limitBytes);
      }),
    );
  }
}
