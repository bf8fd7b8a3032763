// Opens the artifact store that the configuration names: a folder, by default inside the data folder.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BlobStore } from '../blob-store.ts';
import { FileBlobStore } from './file-blob-store.ts';

export interface BlobStoreConfig {
  dataDir: string;
  /** `file:///…`; a folder in the data folder when unset. */
  artifactsUrl?: string | null;
}

export function openBlobStore({ dataDir, artifactsUrl }: BlobStoreConfig): BlobStore {
  if (!artifactsUrl) return new FileBlobStore(join(dataDir, 'artifacts'));
  const url = new URL(artifactsUrl);
  if (url.protocol === 'file:') return new FileBlobStore(fileURLToPath(url));
  throw new Error(`KINDRED_ARTIFACTS_URL: ${url.protocol}// is not supported.`);
}
