// Blobs as objects in S3. A key is written once, so a copy in the cache folder stays valid; the folder is bounded and evicts
// the least recently used files. Files larger than one part are uploaded in parts, since S3 limits a single upload to 5 GB.
import { createReadStream, createWriteStream } from 'node:fs';
import { readdir, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Runtime, systemRuntime } from '../../base/runtime.ts';
import { fileTimeNow } from '../../base/system.ts';
import { AppError } from '../../errors.ts';
import { BLOB_PREFIXES, BlobNotFound, type BlobStore } from '../blob-store.ts';
import { checkBlobKey } from './blob-key.ts';
import { endCutOffUploads } from './cut-off-uploads.ts';
import { makeFolder, partialPath, publishFile, removeAbandoned } from './durable-file.ts';
import { connectS3, keyPrefixOf, requireS3Driver, type S3Connection } from './s3-connection.ts';

const DEFAULT_CACHE_BYTES = 10 * 1024 ** 3;
/** A connection without traffic for this long is closed. */
const DEFAULT_IDLE_MS = 120_000;
/**
 * About half a minute in total. Giving up is costly: the upload is the last step of a job, which would have to run
 * again.
 */
const UPLOAD_ATTEMPTS = 8;
const DOWNLOAD_ATTEMPTS = 3;
/** S3 allows parts from 5 MiB, and 10,000 of them. */
const DEFAULT_PART_BYTES = 16 * 1024 ** 2;
const MAX_PARTS = 10_000;
/** S3 copies at most 5 GiB in one request. */
const DEFAULT_COPY_BYTES = 5 * 1024 ** 3;
const PARTS_IN_FLIGHT = 2;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 10_000;

interface S3Limits {
  maxCacheBytes?: number;
  idleMs?: number;
  partBytes?: number;
  copyBytes?: number;
  runtime?: Runtime;
}

export class S3BlobStore implements BlobStore {
  readonly #url: URL;
  readonly #bucket: string;
  /** Prefix of every key; empty, or ending in a slash. */
  readonly #prefix: string;
  readonly #cacheDir: string;
  readonly #maxCacheBytes: number;
  readonly #idleMs: number;
  readonly #partBytes: number;
  readonly #copyBytes: number;
  readonly #runtime: Runtime;
  readonly #downloads = new Map<string, Promise<string>>();
  #connection: Promise<S3Connection> | undefined;

  constructor(url: URL, cacheDir: string, limits: S3Limits = {}) {
    requireS3Driver();
    this.#url = url;
    this.#bucket = url.hostname;
    this.#prefix = keyPrefixOf(url);
    this.#cacheDir = cacheDir;
    this.#maxCacheBytes = limits.maxCacheBytes ?? DEFAULT_CACHE_BYTES;
    this.#idleMs = limits.idleMs ?? DEFAULT_IDLE_MS;
    this.#partBytes = limits.partBytes ?? DEFAULT_PART_BYTES;
    this.#copyBytes = limits.copyBytes ?? DEFAULT_COPY_BYTES;
    this.#runtime = limits.runtime ?? systemRuntime;
  }

  async putFile(key: string, localPath: string): Promise<void> {
    const object = this.#object(key);
    const { size } = await stat(localPath);
    const partSize = Math.max(this.#partBytes, Math.ceil(size / MAX_PARTS));
    await persist(this.#runtime, UPLOAD_ATTEMPTS, async () => {
      const Body = createReadStream(localPath);
      try {
        await this.#call(key, ({ client, sdk }) =>
          new sdk.Upload({ client, params: { ...object, Body }, partSize, queueSize: PARTS_IN_FLIGHT }).done(),
        );
      } finally {
        Body.destroy();
      }
    });
    await rm(localPath, { force: true });
  }

  async copy(from: string, to: string): Promise<void> {
    const { Bucket, Key } = this.#object(from);
    const CopySource = `${Bucket}/${Key.split('/').map(encodeURIComponent).join('/')}`;
    const object = this.#object(to);
    const isWhole = await persist(this.#runtime, UPLOAD_ATTEMPTS, () =>
      this.#call(from, async ({ client, sdk }) => {
        const { ContentLength = 0 } = await client.send(new sdk.HeadObjectCommand({ Bucket, Key }));
        if (ContentLength > this.#copyBytes) return false;
        await client.send(new sdk.CopyObjectCommand({ ...object, CopySource }));
        return true;
      }),
    );
    if (!isWhole) await this.putFile(to, await this.localFile(from));
  }

  async localFile(key: string): Promise<string> {
    const path = join(this.#cacheDir, checkBlobKey(key));
    const cached = await stat(path).catch(() => undefined);
    if (cached) {
      const now = fileTimeNow();
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
    const response = await this.#call(key, ({ client, sdk }) => client.send(new sdk.GetObjectCommand(object)));
    return { stream: response.Body as Readable, bytes: response.ContentLength ?? 0 };
  }

  /** The key may also be a folder mark, which has a trailing slash. Hadoop writes such marks. */
  async delete(key: string): Promise<void> {
    const isMark = key.endsWith('/');
    const object = this.#object(isMark ? key.slice(0, -1) : key);
    if (isMark) object.Key += '/';
    // S3 does not report that there was nothing to delete, but some compatible stores do.
    await this.#call(key, ({ client, sdk }) => client.send(new sdk.DeleteObjectCommand(object))).catch(ignoreMissing);
    if (!isMark) await rm(join(this.#cacheDir, key), { force: true });
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

  async removeLeftovers(): Promise<number> {
    const files = await removeAbandoned(this.#cacheDir, BLOB_PREFIXES);
    const place = { bucket: this.#bucket, prefix: this.#prefix };
    const nowMs = this.#runtime.nowMs();
    return files + (await this.#call('', (connection) => endCutOffUploads(connection, place, nowMs)));
  }

  async #download(key: string, path: string): Promise<string> {
    await makeFolder(dirname(path));
    await persist(this.#runtime, DOWNLOAD_ATTEMPTS, async () => {
      const { stream, bytes } = await this.read(key);
      const partial = partialPath(path);
      try {
        // The file has its full size from the start, so that other processes that free space count it.
        await writeFile(partial, '');
        await truncate(partial, bytes);
        await this.#makeRoom();
        await pipeline(orUnavailable(stream), createWriteStream(partial, { flags: 'r+' }));
        await publishFile(partial, path);
      } catch (error) {
        stream.destroy();
        await rm(partial, { force: true });
        throw error;
      }
    });
    return path;
  }

  /** Removes cached copies until they are within the limit, but no downloads in progress. */
  async #makeRoom(): Promise<void> {
    const entries = await readdir(this.#cacheDir, { recursive: true, withFileTypes: true });
    const files = await Promise.all(
      entries
        .filter((entry) => entry.isFile())
        .map(async ({ name, parentPath }) => {
          const path = join(parentPath, name);
          const { size, mtimeMs } = await stat(path).catch(() => ({ size: 0, mtimeMs: 0 }));
          return { path, size, mtimeMs, isCopy: !name.startsWith('.') };
        }),
    );
    let total = files.reduce((sum, { size }) => sum + size, 0);
    const copies = files.filter(({ isCopy }) => isCopy).sort((a, b) => a.mtimeMs - b.mtimeMs);
    for (const { path, size } of copies) {
      if (total <= this.#maxCacheBytes) return;
      await rm(path, { force: true });
      total -= size;
    }
  }

  #object(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.#bucket, Key: this.#prefix + checkBlobKey(key) };
  }

  async #call<T>(key: string, request: (connection: S3Connection) => Promise<T>): Promise<T> {
    try {
      this.#connection ??= connectS3(this.#url, this.#idleMs);
      return await request(await this.#connection);
    } catch (error) {
      const { name, $metadata } = error as { name?: string; $metadata?: { httpStatusCode?: number } };
      if (name === 'NoSuchKey' || name === 'NotFound') throw new BlobNotFound(key);
      const status = $metadata?.httpStatusCode;
      if (status !== undefined && status < 500) throw error;
      throw unavailable(error);
    }
  }
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof BlobNotFound)) throw error;
}

function unavailable(cause: unknown): AppError {
  return new AppError('STORE_UNAVAILABLE', 'Cannot reach the storage of model and result files. Try again.', {
    cause,
    retryAfterSec: 1,
  });
}

/** An interrupted download is a failure of S3, unlike an error of the local disk. */
async function* orUnavailable(stream: Readable): AsyncGenerator<Buffer> {
  try {
    yield* stream;
  } catch (error) {
    throw unavailable(error);
  }
}

/** Restarts the whole work. The SDK itself only retries before the first byte of a stream. */
async function persist<T>(runtime: Runtime, attempts: number, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === attempts || !(error instanceof AppError)) throw error;
      const jitter = 0.5 + runtime.randomBytes(1)[0] / 512;
      await runtime.sleep(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt * jitter));
    }
  }
}
