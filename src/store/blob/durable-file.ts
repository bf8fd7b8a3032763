// Publishing a file so that it is there whole or not at all, and still there after power loss: written beside its place,
// synced, renamed, and the folders synced.
import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Names that start with a dot are files on their way; no key does. */
export function partialPath(target: string): string {
  return join(dirname(target), `.${randomBytes(8).toString('hex')}.partial`);
}

export async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes the folder and all it stands in; a new folder's name is synced too. */
export async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true });
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = dirname(made)) await syncFile(dirname(made));
}

/** Moves the file to the target, atomically and durably; a file on another file system is copied first. */
export async function publishFile(localPath: string, target: string): Promise<void> {
  await makeFolder(dirname(target));
  try {
    await syncFile(localPath);
    await rename(localPath, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    const partial = partialPath(target);
    try {
      await copyFile(localPath, partial);
      await syncFile(partial);
      await rename(partial, target);
    } catch (copyError) {
      await rm(partial, { force: true });
      throw copyError;
    }
    await rm(localPath, { force: true });
  }
  await syncFile(dirname(target));
}
