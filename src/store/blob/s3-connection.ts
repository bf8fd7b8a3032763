// The S3 SDK and a client for an s3:// URL. The SDK is two optional packages, loaded if such a URL is set: the client, and the
// upload of large files in parts.
import { createRequire } from 'node:module';
import type { S3Client } from '@aws-sdk/client-s3';

type Sdk = typeof import('@aws-sdk/client-s3') & Pick<typeof import('@aws-sdk/lib-storage'), 'Upload'>;

const PACKAGES = ['@aws-sdk/client-s3', '@aws-sdk/lib-storage'];

export interface S3Connection {
  sdk: Sdk;
  client: S3Client;
}

const CONNECT_MS = 10_000;
const ignore = (): void => {};

/** Checked at the start instead of at the first model. */
export function requireS3Driver(): void {
  try {
    for (const name of PACKAGES) createRequire(import.meta.url).resolve(name);
  } catch (cause) {
    throw new Error(
      `A setting is an s3:// URL, but its driver is not installed. Run: npm install ${PACKAGES.join(' ')}`,
      { cause },
    );
  }
}

/** Prefix of every key of a place; empty, or ending in a slash. */
export function keyPrefixOf(url: URL): string {
  return decodeURIComponent(url.pathname)
    .split('/')
    .filter((segment) => segment !== '')
    .map((segment) => `${segment}/`)
    .join('');
}

export function regionOf(url: URL): string {
  const { AWS_REGION, AWS_DEFAULT_REGION } = process.env;
  return url.searchParams.get('region') ?? AWS_REGION ?? AWS_DEFAULT_REGION ?? 'us-east-1';
}

/** A connection without traffic for `idleMs` is closed. */
export async function connectS3(url: URL, idleMs: number): Promise<S3Connection> {
  const [client3, { Upload }] = await Promise.all([import('@aws-sdk/client-s3'), import('@aws-sdk/lib-storage')]);
  const sdk: Sdk = { ...client3, Upload };
  const parameter = (name: string): string | undefined => url.searchParams.get(name) ?? undefined;
  const client = new sdk.S3Client({
    region: regionOf(url),
    endpoint: parameter('endpoint'),
    forcePathStyle: parameter('path_style') === 'true',
    // S3-compatible stores other than AWS may not support the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 4,
    // The client's warnings would mix with our JSON lines. Failures are thrown anyway.
    logger: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout: idleMs },
  });
  return { sdk, client };
}
