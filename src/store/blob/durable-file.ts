// Publishing a file so that it is there whole or not at all, and still there after power loss: written next to its place,
// synced, renamed, and the folders synced.
import { copyFile, link, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HOUR_MS } from '../../base/durations.ts';
import { syncFile } from '../../base/sync-file.ts';
import { fileAgeMs, uniqueName } from '../../base/system.ts';

const PARTIAL = /^\.[0-9a-f]{16}\.partial$/;
/** A writer touches its file every few seconds. If it pauses for longer than this, publishing fails and is retried. */
const ABANDONED_MS = HOUR_MS;

/** The name of a file that is not published yet starts with a dot, which no key does. */
export function partialPath(target: string): string {
  return join(dirname(target), `.${uniqueName(8)}.partial`);
}

/** Removes temporary files that nobody has written to for an hour, below the given parts of the folder. Returns how many. */
export async function removeAbandoned(folder: string, parts: readonly string[]): Promise<number> {
  let removed = 0;
  for (const part of parts) removed += await removeAbandonedIn(join(folder, part));
  return removed;
}

async function removeAbandonedIn(folder: string): Promise<number> {
  // A folder may be removed while it is read.
  const entries = (await readdir(folder, { recursive: true, withFileTypes: true }).catch(ignoreMissing)) ?? [];
  let removed = 0;
  for (const entry of entries) {
    if (!entry.isFile() || !PARTIAL.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    const written = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
    if (fileAgeMs(written) < ABANDONED_MS) continue;
    await rm(path, { force: true });
    removed++;
  }
  return removed;
}

/** Creates the folder and its parents, and syncs the name of a new folder. */
export async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true });
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = dirname(made)) await syncFile(dirname(made));
}

/** How many times another process may remove the empty target folder before the file is moved into it. */
const MOST_LOST_FOLDERS = 10;

/** Moves the file to the target, atomically and durably; a file on another file system is copied first. */
export function publishFile(localPath: string, target: string): Promise<void> {
  return intoFolder(target, () => moveInto(localPath, target));
}

/** Gives a published file a second name, durably; file systems without such names copy it. */
export function publishSecondName(path: string, target: string): Promise<void> {
  return intoFolder(target, async () => {
    try {
      await link(path, target);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw error;
      return copyInto(path, target);
    }
    await syncFolder(target);
  });
}

async function intoFolder(target: string, work: () => Promise<void>): Promise<void> {
  for (let lost = 0; ; lost++) {
    try {
      await makeFolder(dirname(target));
      return await work();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || lost === MOST_LOST_FOLDERS) throw error;
    }
  }
}

/** Requires that the target's folder exists. */
async function moveInto(localPath: string, target: string): Promise<void> {
  try {
    await syncFile(localPath);
    await rename(localPath, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    await copyInto(localPath, target);
    return rm(localPath, { force: true });
  }
  await syncFolder(target);
}

/** Requires that the target's folder exists. */
async function copyInto(path: string, target: string): Promise<void> {
  const partial = partialPath(target);
  try {
    await copyFile(path, partial);
    await syncFile(partial);
    await rename(partial, target);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
  await syncFolder(target);
}

async function syncFolder(target: string): Promise<void> {
  await syncFile(dirname(target)).catch(ignoreMissing);
}

/** The file was deleted already, and its folder with it. */
function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
