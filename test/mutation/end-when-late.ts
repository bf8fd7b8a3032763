import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';

const LOOK_MS = 500;

/** Ends the process when it has run for this time. Time in which it is paused from outside does not count. */
export function endWhenLate(child: ChildProcess, limitMs: number): { cancel(): void } {
  let leftMs = limitMs;
  const timer = setInterval(() => {
    if (!isPaused(child.pid!)) leftMs -= LOOK_MS;
    if (leftMs <= 0) child.kill('SIGKILL');
  }, LOOK_MS);
  return { cancel: () => clearInterval(timer) };
}

/** Known on Linux alone. */
function isPaused(pid: number): boolean {
  try {
    return / T /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
