// A full and a slow disk without a disk to spare: a limit on the size of files fails writes as a full disk does, and processes
// that are stopped for most of the time get on as if every read and write took long.
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const SPACE_BYTES = 8192;
const STOPPED_MS = 80;
const RUNNING_MS = 40;

/** Both need Linux: its prlimit and its /proc. */
export const canTroubleDisks = process.platform === 'linux';

/** No file of these processes, or of those they start, may grow until the time is over. */
export async function withoutSpace(pids: () => number[], pauseMs: number): Promise<void> {
  limitFiles(pids(), `${SPACE_BYTES}:`);
  await delay(pauseMs);
  limitFiles(pids(), 'unlimited:');
}

/** The processes run in short steps only, again and again. */
export async function slowedDown(pids: () => number[], forMs: number): Promise<void> {
  const endMs = performance.now() + forMs;
  while (performance.now() < endMs) {
    const stopped = pids();
    for (const pid of stopped) signal(pid, 'SIGSTOP');
    await delay(STOPPED_MS);
    for (const pid of stopped) signal(pid, 'SIGCONT');
    await delay(RUNNING_MS);
  }
}

/** The process and all it has started. */
export function familyOf(pid: number): number[] {
  let children: number[];
  try {
    children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
  return [pid, ...children.flatMap(familyOf)];
}

/** `limit` as prlimit takes it, e.g. `8192:` or `unlimited:` for what holds now. */
export function limitFiles(pids: readonly number[], limit: string): void {
  for (const pid of pids) {
    try {
      // As the owner of the process: in a container root may not be allowed to.
      const { uid, gid } = statSync(`/proc/${pid}`);
      const owner = uid === process.getuid!() ? {} : { uid, gid };
      execFileSync('prlimit', [`--pid=${pid}`, `--fsize=${limit}`], { stdio: 'pipe', ...owner });
    } catch (error) {
      if (isAlive(pid)) throw error;
    }
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (isAlive(pid)) throw error;
  }
}

function isAlive(pid: number): boolean {
  return familyOf(pid).length > 0;
}
