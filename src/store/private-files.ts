// Files of the service are readable by its own user alone, because they hold events, ids and keys.
import { chmod, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

const OTHERS = 0o077;
/** Names of what the service and `kindred demo` make in the data folder. `serve.lock` is a SQLite file and has others beside it. */
const OURS =
  /^(kindred\..*|serve\.lock.*|credentials\.json.*|first-credentials\..*|artifacts|artifact-cache|scratch|served|demo-shop\.json|\.kindred-.*)$/;

/** Applies to all files and folders this process creates from now on. */
export function writePrivately(): void {
  process.umask(OTHERS);
}

export interface Permissions {
  /** Paths that others could read or change until this run closed them. */
  closed: string[];
  /** Paths that others can read or change, and that are left as they are: another user owns them, or we did not create them. */
  open: string[];
}

/** Removes other users' permissions from what we created in the data folder, e.g. with an earlier version. */
export async function closeToOthers(dataDir: string): Promise<Permissions> {
  const found: Permissions = { closed: [], open: [] };
  // Windows has no such permissions.
  if (process.getuid === undefined) return found;
  const names = await readdir(dataDir).catch(() => null);
  if (names === null) return found;
  const ours = names.filter((name) => OURS.test(name));
  // If the folder holds other things too, it may be open on purpose.
  await closePath(dataDir, ours.length === names.length, found);
  for (const name of ours) {
    await closePath(join(dataDir, name), true, found);
    const below = await readdir(join(dataDir, name), { recursive: true, withFileTypes: true }).catch(() => []);
    for (const entry of below) await closePath(join(entry.parentPath, entry.name), true, found);
  }
  return found;
}

async function closePath(path: string, isOurs: boolean, found: Permissions): Promise<void> {
  const state = await lstat(path).catch(() => null);
  // The file was deleted meanwhile, or is a link, whose own permissions mean nothing.
  if (state === null || state.isSymbolicLink() || (state.mode & OTHERS) === 0) return;
  if (!isOurs || state.uid !== process.getuid!()) {
    found.open.push(path);
    return;
  }
  await chmod(path, state.mode & 0o700);
  found.closed.push(path);
}
