// Blobs as objects in S3. A key is written once, so a copy in the cache folder stays right; the folder is bounded, and what
// was not used for longest goes first. The SDK is an optional package, loaded when an s3:// URL is set.
import { createReadStream, createWriteStream } from 'node:fs';
import { readdir, rm, stat, utimes } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { S3Client } from '@aws-sdk/client-s3';
import { AppError } from '../../errors.ts';
import { BlobNotFound, type BlobStore } from '../blob-store.ts';
import { checkBlobKey } from './blob-key.ts';
import { makeFolder, partialPath, publishFile, removeAbandoned } from './durable-file.ts';

type Sdk = typeof import('@aws-sdk/client-s3');

const DEFAULT_CACHE_BYTES = 10 * 1024 ** 3;

/** The SDK and a client, made at the first call. */
interface Connection {
  sdk: Sdk;
  client: S3Client;
}

export class S3BlobStore implements BlobStore {
  readonly #url: URL;
  readonly #bucket: string;
  /** Of every key; empty, or ending in a slash. */
  readonly #prefix: string;
  readonly #cacheDir: string;
  readonly #maxCacheBytes: number;
  readonly #downloads = new Map<string, Promise<string>>();
  #connection: Promise<Connection> | undefined;

  constructor(url: URL, cacheDir: string, maxCacheBytes: number = DEFAULT_CACHE_BYTES) {
    requireDriver();
    this.#url = url;
    this.#bucket = url.hostname;
    this.#prefix = decodeURIComponent(url.pathname)
      .split('/')
      .filter((segment) => segment !== '')
      .map((segment) => `${segment}/`)
      .join('');
    this.#cacheDir = cacheDir;
    this.#maxCacheBytes = maxCacheBytes;
  }

  async putFile(key: string, localPath: string): Promise<void> {
    const object = this.#object(key);
    const { size } = await stat(localPath);
    await this.#call(key, ({ client, sdk }) =>
      client.send(
        new sdk.PutObjectCommand({
          ...object,
          Body: createReadStream(localPath),
          ContentLength: size,
        }),
      ),
    );
    await rm(localPath, { force: true });
  }

  async localFile(key: string): Promise<string> {
    const path = join(this.#cacheDir, checkBlobKey(key));
    const cached = await stat(path).catch(() => undefined);
    if (cached) {
      const now = new Date();
      await utimes(path, now, now).catch(() => undefined);
      return path;
    }
    let download = this.#downloads.get(key);
    if (!download) {
      download = this.#download(key, path).finally(() => this.#downloads.delete(key));
      this.#downloads.set(key, download);
    }
    return download;
  }

  async read(key: string): Promise<{ stream: Readable; bytes: number }> {
    const object = this.#object(key);
    const answer = await this.#call(key, ({ client, sdk }) => client.send(new sdk.GetObjectCommand(object)));
    return { stream: answer.Body as Readable, bytes: answer.ContentLength ?? 0 };
  }

  async delete(key: string): Promise<void> {
    const object = this.#object(key);
    await this.#call(key, ({ client, sdk }) => client.send(new sdk.DeleteObjectCommand(object)));
    await rm(join(this.#cacheDir, key), { force: true });
  }

  async *list(prefix: string): AsyncGenerator<{ key: string; bytes: number; modifiedMs: number }> {
    let token: string | undefined;
    do {
      const page = await this.#call(prefix, ({ client, sdk }) =>
        client.send(
          new sdk.ListObjectsV2Command({
            Bucket: this.#bucket,
            Prefix: this.#prefix + prefix,
            ContinuationToken: token,
          }),
        ),
      );
      for (const { Key, Size, LastModified } of page.Contents ?? []) {
        yield { key: Key!.slice(this.#prefix.length), bytes: Size ?? 0, modifiedMs: LastModified?.getTime() ?? 0 };
      }
      token = page.NextContinuationToken;
    } while (token !== undefined);
  }

  removeLeftovers(): Promise<number> {
    return removeAbandoned(this.#cacheDir);
  }

  async #download(key: string, path: string): Promise<string> {
    const { stream } = await this.read(key);
    await makeFolder(dirname(path));
    const partial = partialPath(path);
    try {
      await pipeline(stream, createWriteStream(partial));
      await publishFile(partial, path);
    } catch (error) {
      await rm(partial, { force: true });
      throw error;
    }
    await this.#trimCache(path);
    return path;
  }

  async #trimCache(keep: string): Promise<void> {
    const entries = await readdir(this.#cacheDir, { recursive: true, withFileTypes: true });
    const files = await Promise.all(
      entries
        .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
        .map(async (entry) => {
          const path = join(entry.parentPath, entry.name);
          const { size, mtimeMs } = await stat(path).catch(() => ({ size: 0, mtimeMs: 0 }));
          return { path, size, mtimeMs };
        }),
    );
    let total = files.reduce((sum, { size }) => sum + size, 0);
    for (const { path, size } of files.sort((a, b) => a.mtimeMs - b.mtimeMs)) {
      if (total <= this.#maxCacheBytes) return;
      if (path === keep) continue;
      await rm(path, { force: true });
      total -= size;
    }
  }

  #object(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.#bucket, Key: this.#prefix + checkBlobKey(key) };
  }

  async #call<T>(key: string, request: (connection: Connection) => Promise<T>): Promise<T> {
    try {
      this.#connection ??= connect(this.#url);
      return await request(await this.#connection);
    } catch (error) {
      const { name, $metadata } = error as { name?: string; $metadata?: { httpStatusCode?: number } };
      if (name === 'NoSuchKey' || name === 'NotFound') throw new BlobNotFound(key);
      const status = $metadata?.httpStatusCode;
      if (status !== undefined && status < 500) throw error;
      throw new AppError('STORE_UNAVAILABLE', 'The store of model and result files cannot be reached. Try again.', {
        cause: error,
        retryAfterSec: 1,
      });
    }
  }
}

/** Said at start, not at the first model. */
function requireDriver(): void {
  try {
    createRequire(import.meta.url).resolve('@aws-sdk/client-s3');
  } catch (cause) {
    throw new Error(
      'KINDRED_ARTIFACTS_URL is an s3:// URL, but its driver is not installed: npm install @aws-sdk/client-s3',
      { cause },
    );
  }
}

async function connect(url: URL): Promise<Connection> {
  const sdk = await import('@aws-sdk/client-s3');
  const parameter = (name: string): string | undefined => url.searchParams.get(name) ?? undefined;
  const client = new sdk.S3Client({
    region: parameter('region') ?? process.env.AWS_REGION ?? process.env.AWS_DEFAULT_REGION ?? 'us-east-1',
    endpoint: parameter('endpoint'),
    forcePathStyle: parameter('path_style') === 'true',
    // Stores that speak S3 but are not AWS know nothing of the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 4,
  });
  return { sdk, client };
}
