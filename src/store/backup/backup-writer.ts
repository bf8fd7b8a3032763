// A tar file that remembers the checksum of all it is given, and which model and result files it holds already.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { BlobNotFound, type BlobStore } from '../blob-store.ts';
import { ARTIFACTS_PREFIX, CHECKSUMS_ENTRY } from './manifest.ts';
import type { TarWriter } from './tar.ts';

export class BackupWriter {
  readonly #tar: TarWriter;
  readonly #checksums = new Map<string, string>();

  constructor(tar: TarWriter) {
    this.#tar = tar;
  }

  get createdMs(): number {
    return this.#tar.createdMs;
  }

  /** Model and result files so far. */
  get artifacts(): number {
    return this.#checksums.keys().reduce((count, name) => count + Number(name.startsWith(ARTIFACTS_PREFIX)), 0);
  }

  /**
   * Copies the files that the backup does not contain yet: a file never changes under its key. Returns the keys without a file.
   */
  async addArtifacts(blobs: BlobStore, keys: AsyncIterable<string> | Iterable<string>): Promise<string[]> {
    const missing: string[] = [];
    for await (const key of keys) {
      const name = ARTIFACTS_PREFIX + key;
      if (this.#checksums.has(name)) continue;
      try {
        const { stream, bytes } = await blobs.read(key);
        await this.add(name, bytes, stream);
      } catch (error) {
        if (!(error instanceof BlobNotFound)) throw error;
        missing.push(key);
      }
    }
    return missing;
  }

  async add(name: string, bytes: number, content: AsyncIterable<Uint8Array>): Promise<void> {
    const hash = createHash('sha256');
    async function* hashed(): AsyncGenerator<Uint8Array> {
      for await (const chunk of content) {
        hash.update(chunk);
        yield chunk;
      }
    }
    await this.#tar.add(name, bytes, hashed());
    this.#checksums.set(name, hash.digest('hex'));
  }

  async addFile(name: string, path: string): Promise<void> {
    await this.add(name, (await stat(path)).size, createReadStream(path));
  }

  async addJson(name: string, value: unknown): Promise<void> {
    const json = Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
    await this.add(name, json.length, Readable.from([json]));
  }

  async finish(): Promise<void> {
    await this.addJson(CHECKSUMS_ENTRY, Object.fromEntries(this.#checksums));
    await this.#tar.finish();
  }
}
