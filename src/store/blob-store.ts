// Model and result files. A key is a relative path of [a-z0-9_./-]; a blob is written whole or not at all.
import type { Readable } from 'node:stream';

/** Files of models, each named by its row in `model`. */
export const MODEL_PREFIX = 'models/';
/** Files of results, which expire and are then deleted. */
export const RESULT_PREFIX = 'results/';

/** Files of parts of jobs, until they are joined. */
export const PART_PREFIX = 'parts/';

/** Files that a training and Spark exchange. */
export const SPARK_PREFIX = 'spark/';
/** Histories for the next training with Spark, by event dataset. */
export const KEPT_HISTORIES_PREFIX = `${SPARK_PREFIX}kept/`;

/** Every key starts with one of these. Other programs may use the place too, and the root of a disk has `lost+found`. */
export const BLOB_PREFIXES = [MODEL_PREFIX, RESULT_PREFIX, PART_PREFIX, SPARK_PREFIX] as const;

export interface BlobStore {
  /** Publishes the local file under the key, atomically and synced; the local file may be moved. */
  putFile(key: string, localPath: string): Promise<void>;
  /** Publishes the blob under another key too, without reading it where the place allows. Throws BlobNotFound. */
  copy(from: string, to: string): Promise<void>;
  /** A local path that holds the blob's bytes: the file itself, or a copy in the cache folder. Throws BlobNotFound. */
  localFile(key: string): Promise<string>;
  /** Streams the bytes. Throws BlobNotFound. */
  read(key: string): Promise<{ stream: Readable; bytes: number }>;
  delete(key: string): Promise<void>;
  /** The keys that start with the prefix. */
  list(prefix: string): AsyncIterable<{ key: string; bytes: number; modifiedMs: number }>;
  /** Removes half-written files and uploads of killed processes. Returns how many. */
  removeLeftovers(): Promise<number>;
}

export class BlobNotFound extends Error {
  constructor(key: string) {
    super(`There is no file ${key} in the artifact store.`);
    this.name = 'BlobNotFound';
  }
}
