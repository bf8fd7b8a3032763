// The SDK of S3 and a client of the place an s3:// URL names. The SDK is an optional package, loaded when such a URL is set.
import { createRequire } from 'node:module';
import type { S3Client } from '@aws-sdk/client-s3';

type Sdk = typeof import('@aws-sdk/client-s3');

export interface S3Connection {
  sdk: Sdk;
  client: S3Client;
}

const CONNECT_MS = 10_000;
const ignore = (): void => {};

/** Said at start, not at the first model. */
export function requireS3Driver(): void {
  try {
    createRequire(import.meta.url).resolve('@aws-sdk/client-s3');
  } catch (cause) {
    throw new Error(
      'KINDRED_ARTIFACTS_URL is an s3:// URL, but its driver is not installed: npm install @aws-sdk/client-s3',
      { cause },
    );
  }
}

/** A connection on which nothing moves for `idleMs` is given up. */
export async function connectS3(url: URL, idleMs: number): Promise<S3Connection> {
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
    // Its warnings would stand between our JSON lines; what fails is told by what is thrown.
    logger: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout: idleMs },
  });
  return { sdk, client };
}
