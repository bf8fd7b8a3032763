// Blobs as files under one folder, which may be shared by several machines. A file appears under its key by one rename, after
// its bytes are on disk: a reader finds it whole or not at all, also after a crash.
import { createReadStream } from 'node:fs';
import { copyFile, mkdir, open, opendir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type { Readable } from 'node:stream';
import { BlobNotFound, type BlobStore } from '../blob-store.ts';

const KEY = /^[a-z0-9_-][a-z0-9_.-]*(\/[a-z0-9_-][a-z0-9_.-]*)*$/;
const PARTIAL = '.partial';

export class FileBlobStore implements BlobStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async putFile(key: string, localPath: string): Promise<void> {
    const target = this.#pathOf(key);
    await mkdir(dirname(target), { recursive: true });
    await syncFile(localPath);
    try {
      await rename(localPath, target);
    } catch (error) {
      if (codeOf(error) !== 'EXDEV') throw error;
      await this.#copyIn(localPath, target);
    }
    await syncFile(dirname(target));
  }

  async localFile(key: string): Promise<string> {
    const path = this.#pathOf(key);
    await statOf(key, path);
    return path;
  }

  async read(key: string): Promise<{ stream: Readable; bytes: number }> {
    const path = this.#pathOf(key);
    const { size } = await statOf(key, path);
    return { stream: createReadStream(path), bytes: size };
  }

  async delete(key: string): Promise<void> {
    await rm(this.#pathOf(key), { force: true });
  }

  async *list(prefix: string): AsyncGenerator<{ key: string; bytes: number; modifiedMs: number }, void, undefined> {
    const start = prefix.slice(0, prefix.lastIndexOf('/') + 1);
    const folder = await opendir(join(this.#folder, start), { recursive: true }).catch((error) => {
      if (codeOf(error) === 'ENOENT') return null;
      throw error;
    });
    if (folder === null) return;
    for await (const entry of folder) {
      if (!entry.isFile() || entry.name.endsWith(PARTIAL)) continue;
      const path = join(entry.parentPath, entry.name);
      const key = relative(this.#folder, path).split(sep).join('/');
      if (!key.startsWith(prefix)) continue;
      const found = await stat(path).catch(() => null);
      if (found) yield { key, bytes: found.size, modifiedMs: found.mtimeMs };
    }
  }

  /** From another file system: a copy beside the target first, so that the last step is a rename again. */
  async #copyIn(localPath: string, target: string): Promise<void> {
    const partial = `${target}.${process.pid}${PARTIAL}`;
    try {
      await copyFile(localPath, partial);
      await syncFile(partial);
      await rename(partial, target);
    } catch (error) {
      await rm(partial, { force: true });
      throw error;
    }
    await rm(localPath, { force: true });
  }

  #pathOf(key: string): string {
    if (!KEY.test(key)) throw new TypeError(`"${key}" is not a key of the artifact store.`);
    return join(this.#folder, key);
  }
}

async function statOf(key: string, path: string) {
  try {
    return await stat(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') throw new BlobNotFound(key);
    throw error;
  }
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
