// Finds where `--out FILE` writes before the job starts, so that nobody waits for a result that cannot be saved.
import type { Stats } from 'node:fs';
import { access, constants, readlink, realpath, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

export interface ResultPlace {
  /** The path as given by the user. */
  readonly path: string;
  /** The path after all links are resolved. */
  readonly target: string;
  /** File mode of an existing file; undefined if there is none. */
  readonly mode?: number;
  /** `replace`: another file takes its name. `overwrite`: the file itself is written. `send`: to a pipe or a device. */
  readonly by: 'replace' | 'overwrite' | 'send';
}

/** Throws if it cannot be written. */
export async function findPlace(path: string): Promise<ResultPlace> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) {
    const target = await endOfLinks(path);
    await access(dirname(target), constants.W_OK);
    return { path, target, by: 'replace' };
  }
  await access(path, constants.W_OK);
  // The links of /dev/stdout end at a name that cannot be opened.
  if (!found.isFile()) return { path, target: path, by: 'send' };
  const target = await realpath(path);
  return { path, target, mode: found.mode, by: (await mayReplace(target, found)) ? 'replace' : 'overwrite' };
}

/** A file of another user would become ours. */
async function mayReplace(target: string, { uid }: Stats): Promise<boolean> {
  if (process.getuid !== undefined && process.getuid() !== uid) return false;
  return access(dirname(target), constants.W_OK).then(
    () => true,
    () => false,
  );
}

/** Resolves links, including one to a file that does not exist. */
async function endOfLinks(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const next = await readlink(path).catch(() => null);
  return next === null ? path : endOfLinks(resolve(await realpath(dirname(path)), next));
}
