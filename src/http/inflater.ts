// Inflates bodies off the main thread, up to a limit and only a few at a time. The inflated size is known only afterwards, so
// many small bodies must not grow at once.
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, zstdDecompress } from 'node:zlib';
import { plural } from '../domain/plural.ts';
import { AppError } from '../errors.ts';

type Inflate = (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const INFLATERS: Record<string, Inflate> = {
  gzip: promisify(gunzip),
  // RFC 9110: an alias of gzip.
  'x-gzip': promisify(gunzip),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
};
/** The number of threads that inflate. */
const AT_ONCE = 4;

const normalized = (contentEncoding: string | undefined): string => contentEncoding?.trim().toLowerCase() ?? '';

export function isCompressed(contentEncoding: string | undefined): boolean {
  return !['', 'identity'].includes(normalized(contentEncoding));
}

export class Inflater {
  readonly #inflaters: Record<string, Inflate>;
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(inflaters = INFLATERS, atOnce = AT_ONCE) {
    this.#inflaters = inflaters;
    this.#free = atOnce;
  }

  async inflate(raw: Buffer, contentEncoding: string | undefined, limitBytes: number): Promise<Buffer> {
    if (!isCompressed(contentEncoding)) return raw;
    const encoding = normalized(contentEncoding);
    if (!Object.hasOwn(this.#inflaters, encoding)) {
      const known = Object.keys(this.#inflaters).join(', ');
      throw new AppError(
        'UNSUPPORTED_MEDIA_TYPE',
        `Content-Encoding "${encoding.slice(0, 64)}" is not known; use one of ${known}.`,
      );
    }
    await this.#turn();
    try {
      return await this.#inflaters[encoding](raw, { maxOutputLength: limitBytes });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
        throw new AppError(
          'BODY_TOO_LARGE',
          `The decompressed body is larger than ${plural(limitBytes, 'byte')}, the limit of this call.`,
        );
      }
      throw new AppError('INVALID_ENCODING', `The body is not valid ${encoding} data.`, { cause: error });
    } finally {
      this.#endTurn();
    }
  }

  async #turn(): Promise<void> {
    if (this.#free === 0) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#free--;
  }

  #endTurn(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free++;
  }
}
