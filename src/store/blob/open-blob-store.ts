// Opens the artifact store that the configuration names: a folder, by default inside the data folder, or S3 and what speaks
// its protocol.
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Runtime } from '../../base/runtime.ts';
import type { BlobStore } from '../blob-store.ts';
import { FileBlobStore } from './file-blob-store.ts';
import { S3BlobStore } from './s3-blob-store.ts';
import { regionOf } from './s3-connection.ts';

export interface BlobStoreConfig {
  dataDir: string;
  /** `file:///…` or `s3://bucket/prefix`; a folder in the data folder when unset. */
  artifactsUrl?: string | null;
  /** disk space for cached copies of files in S3; null or left out: the store's default */
  artifactCacheMb?: number | null;
}

/**
 * `s3://bucket/prefix` takes region, endpoint and credentials from the environment, like every AWS tool. Values in the URL
 * (`?endpoint=…&region=…&path_style=true`) take precedence. Copies of files that are read are cached in the data folder.
 */
export function openBlobStore(
  { dataDir, artifactsUrl, artifactCacheMb }: BlobStoreConfig,
  runtime?: Runtime,
): BlobStore {
  if (!artifactsUrl) return new FileBlobStore(defaultFolder(dataDir));
  const url = new URL(artifactsUrl);
  if (url.protocol === 'file:') return new FileBlobStore(fileURLToPath(url));
  if (url.protocol === 's3:') {
    const maxCacheBytes = artifactCacheMb ? artifactCacheMb * 1024 ** 2 : undefined;
    return new S3BlobStore(url, join(dataDir, 'artifact-cache'), { maxCacheBytes, runtime });
  }
  throw new TypeError(
    `KINDRED_ARTIFACTS_URL: ${url.protocol}// is not supported; use file:///path or s3://bucket/prefix.`,
  );
}

/** URL in Hadoop's form at which Spark finds the same files, without a trailing slash. */
export function blobsUrlOf({ dataDir, artifactsUrl }: BlobStoreConfig): string {
  if (!artifactsUrl) return pathToFileURL(defaultFolder(dataDir)).href;
  const { protocol, host, pathname } = new URL(artifactsUrl);
  return `${protocol === 's3:' ? 's3a:' : protocol}//${host}${pathname}`.replace(/\/+$/, '');
}

/** Settings with which Hadoop reaches the same S3 server. Credentials come from the environment. */
export function hadoopSettingsOf({ artifactsUrl }: BlobStoreConfig): Record<string, string> {
  const url = artifactsUrl ? new URL(artifactsUrl) : null;
  if (url?.protocol !== 's3:') return {};
  const endpoint = url.searchParams.get('endpoint');
  return {
    'fs.s3a.endpoint.region': regionOf(url),
    // Buffering on disk needs another class for local files than the one deploy/spark/aggregate.py sets.
    'fs.s3a.fast.upload.buffer': 'bytebuffer',
    'fs.s3a.path.style.access': String(url.searchParams.get('path_style') === 'true'),
    ...(endpoint !== null && { 'fs.s3a.endpoint': endpoint }),
  };
}

function defaultFolder(dataDir: string): string {
  return join(dataDir, 'artifacts');
}
