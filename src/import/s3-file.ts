// A file in S3, downloaded before it is imported: a Parquet file is read from its end, and a table may be read twice. Region,
// endpoint and credentials come from the environment, as with every AWS tool; `?endpoint=…&region=…&path_style=true` go before it.
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { UnreadableTable } from './table.ts';

export interface LocalCopy {
  readonly path: string;
  readonly address: string;
  /** The address without its parameters, for people. */
  readonly name: string;
  /** Changes with the file's content. */
  readonly version: string | number | undefined;
  remove(): Promise<void>;
}

export function isS3Address(path: string): boolean {
  return path.startsWith('s3://');
}

function parseAddress(address: string): { url: URL; key: string } {
  try {
    const url = new URL(address);
    return { url, key: decodeURIComponent(url.pathname.slice(1)) };
  } catch {
    throw new UnreadableTable(`${address} is no address of a file in S3. Write % as %25`);
  }
}

/** Throws UnreadableTable if the file cannot be had, and the reason of the signal if it is aborted. */
export async function downloadFromS3(address: string, signal: AbortSignal): Promise<LocalCopy> {
  const { S3Client, GetObjectCommand } = await import('@aws-sdk/client-s3').catch(() => {
    throw new UnreadableTable('S3 needs its driver. Run: npm install @aws-sdk/client-s3');
  });
  const { url, key } = parseAddress(address);
  const parameter = (name: string) => url.searchParams.get(name) ?? undefined;
  const client = new S3Client({
    region: parameter('region') ?? process.env.AWS_REGION ?? process.env.AWS_DEFAULT_REGION ?? 'us-east-1',
    endpoint: parameter('endpoint'),
    forcePathStyle: parameter('path_style') === 'true',
  });
  const name = `${url.protocol}//${url.hostname}/${key}`;
  const folder = await mkdtemp(join(tmpdir(), 'kindred-import-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const command = new GetObjectCommand({ Bucket: url.hostname, Key: key });
    const { Body, ETag, LastModified } = await client.send(command, { abortSignal: signal });
    const path = join(folder, basename(key));
    await pipeline(Body as Readable, createWriteStream(path, { mode: 0o600 }), { signal });
    return { path, address, name, version: ETag ?? LastModified?.getTime(), remove };
  } catch (error) {
    await remove();
    signal.throwIfAborted();
    const { name: kind, message } = error as Error;
    throw new UnreadableTable(`cannot download ${name}: ${message || kind}`);
  } finally {
    client.destroy();
  }
}
