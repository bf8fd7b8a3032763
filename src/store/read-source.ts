// Reads a file of a place in S3 that import jobs may read from. Its keys are chosen by others, unlike those of a BlobStore.
import type { Readable } from 'node:stream';
import { connectS3, keyPrefixOf } from './blob/s3-connection.ts';

const IDLE_MS = 60_000;

/** The file does not exist or the store refuses access, so a retry would not help. */
export class SourceRefused extends Error {
  override readonly name = 'SourceRefused';
  readonly status: number;
  constructor(status: number, reason: string) {
    super(reason);
    this.status = status;
  }
}

export interface SourceFile {
  readonly stream: Readable;
  readonly bytes: number;
  close(): void;
}

export async function readSource(
  { place, key }: { place: string; key: string },
  signal: AbortSignal,
): Promise<SourceFile> {
  const url = new URL(place);
  const { client, sdk } = await connectS3(url, IDLE_MS);
  try {
    const object = { Bucket: url.hostname, Key: keyPrefixOf(url) + key };
    const { Body, ContentLength = 0 } = await client.send(new sdk.GetObjectCommand(object), { abortSignal: signal });
    return { stream: Body as Readable, bytes: ContentLength, close: () => client.destroy() };
  } catch (error) {
    client.destroy();
    const { name, $metadata } = error as { name?: string; $metadata?: { httpStatusCode?: number } };
    const status = $metadata?.httpStatusCode;
    if (status !== undefined && status >= 400 && status < 500) throw new SourceRefused(status, String(name));
    throw error;
  }
}
