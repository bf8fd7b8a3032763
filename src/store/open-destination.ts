// Opens a place in S3 that files of jobs are written to. Settings of the connection are in its address, as in KINDRED_ARTIFACTS_URL.
import { join } from 'node:path';
import { S3BlobStore } from './blob/s3-blob-store.ts';
import type { BlobStore } from './blob-store.ts';

export function openDestination(place: string, dataDir: string): Pick<BlobStore, 'putFile' | 'delete'> {
  return new S3BlobStore(new URL(place), join(dataDir, 'artifact-cache'));
}
