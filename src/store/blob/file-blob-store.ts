// Blobs as files in a folder; a key is the path.
import { createReadStream } from 'node:fs';
import { open, readdir, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { BLOB_PREFIXES, BlobNotFound, type BlobStore } from '../blob-store.ts';
import { checkBlobKey, isBlobKey } from './blob-key.ts';
import { publishFile, publishSecondName, removeAbandoned } from './durable-file.ts';

export class FileBlobStore implements BlobStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async putFile(key: string, localPath: string): Promise<void> {
    await publishFile(localPath, this.#path(key));
  }

  async copy(from: string, to: string): Promise<void> {
    await publishSecondName(await this.localFile(from), this.#path(to)).catch((error) => throwNotFound(from, error));
  }

  async localFile(key: string): Promise<string> {
    const path = this.#path(key);
    await stat(path).catch((error) => throwNotFound(key, error));
    return path;
  }

  async read(key: string): Promise<{ stream: Readable; bytes: number }> {
    const handle = await open(this.#path(key), 'r').catch((error) => throwNotFound(key, error));
    const { size } = await handle.stat();
    return { stream: createReadStream('', { fd: handle }), bytes: size };
  }

  async delete(key: string): Promise<void> {
    await rm(this.#path(key), { force: true });
    // Removes folders that are empty now, up to the first that is not.
    for (let folder = dirname(key); folder !== '.'; folder = dirname(folder)) {
      try {
        await rmdir(join(this.#folder, folder));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return;
      }
    }
  }

  async *list(prefix: string): AsyncGenerator<{ key: string; bytes: number; modifiedMs: number }> {
    const end = prefix.lastIndexOf('/');
    const folder = prefix.slice(0, Math.max(end, 0));
    if (folder !== '' && !isBlobKey(folder)) return;
    for await (const key of this.#keys(folder, prefix.slice(end + 1))) {
      const found = await stat(join(this.#folder, key)).catch(ignoreMissing);
      if (found) yield { key, bytes: found.size, modifiedMs: found.mtimeMs };
    }
  }

  removeLeftovers(): Promise<number> {
    return removeAbandoned(this.#folder, BLOB_PREFIXES);
  }

  /** Below the folder, those whose next segment starts as given. Folders elsewhere are not read: there may be many. */
  async *#keys(folder: string, start = ''): AsyncGenerator<string> {
    const entries = (await readdir(join(this.#folder, folder), { withFileTypes: true }).catch(ignoreMissing)) ?? [];
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      // Skips files that are not published yet.
      if (entry.name.startsWith('.') || !entry.name.startsWith(start)) continue;
      const key = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) yield* this.#keys(key);
      else yield key;
    }
  }

  #path(key: string): string {
    return join(this.#folder, checkBlobKey(key));
  }
}

function throwNotFound(key: string, error: NodeJS.ErrnoException): never {
  throw error.code === 'ENOENT' ? new BlobNotFound(key) : error;
}

/** ENOTDIR: a file has the name of the folder. */
function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
}
