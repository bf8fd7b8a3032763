// Seeds split over processes, one for each processor.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { sumOf } from './counts.ts';
import type { Many } from './simulate-many.ts';

export interface ParallelOptions {
  readonly from: number;
  readonly seeds: number;
  readonly processes: number;
  /** each process ends when it has used this much processor time */
  readonly maxSeconds?: number;
  readonly tell: (line: string) => void;
  readonly onProgress?: (done: number) => void;
}

export async function simulateParallel(options: ParallelOptions): Promise<Many> {
  const { from, seeds, processes, onProgress } = options;
  const share = Math.ceil(seeds / processes);
  const starts = Array.from({ length: processes }, (_, n) => n * share).filter((start) => start < seeds);
  const done = starts.map(() => 0);
  const progressOf = (n: number) => (own: number) => {
    done[n] = own;
    onProgress?.(done.reduce((sum, one) => sum + one));
  };
  const all = await Promise.all(
    starts.map((start, n) => {
      const range = { from: from + start, seeds: Math.min(share, seeds - start) };
      return oneProcess({ ...options, ...range, onProgress: progressOf(n) });
    }),
  );
  return all.reduce((sum, one) => ({
    seeds: sum.seeds + one.seeds,
    broken: sum.broken + one.broken,
    seconds: sum.seconds + one.seconds,
    isTimeUp: sum.isTimeUp || one.isTimeUp,
    sum: sumOf([sum.sum, one.sum]),
  }));
}

async function oneProcess({ from, seeds, maxSeconds, tell, onProgress }: ParallelOptions): Promise<Many> {
  const script = join(import.meta.dirname, 'run-simulation.ts');
  const args = [script, '--from', String(from), '--seeds', String(seeds), '--processes', '1', '--json'];
  if (maxSeconds !== undefined) args.push('--max-seconds', String(maxSeconds));
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let result: Many | null = null;
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.startsWith('{')) tell(line);
    else {
      const told = JSON.parse(line) as Many | { done: number };
      if ('done' in told) onProgress?.(told.done);
      else result = told;
    }
  }
  if (result === null) throw new Error(`The process for seeds ${from} to ${from + seeds - 1} ended without a result.`);
  return result;
}
