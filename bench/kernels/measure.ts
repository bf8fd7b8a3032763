// How the kernels' benchmark measures: by the processor time of this thread, the least of several turns.
import type { KernelPool } from '../../src/kernels/kernel-pool.ts';
import { quick } from '../report.ts';

/** What bounds a kernel on the machine. */
export type Limit = 'multiply-adds' | 'bytes' | 'scattered adds';

export interface Side {
  readonly run: () => unknown | Promise<unknown>;
  /** what one run does, counted in the unit of the limit */
  readonly work: number;
}

export interface KernelCase {
  readonly what: string;
  readonly limit: Limit;
  /** how many places adds scatter over, how many bytes are read again and again: what stays in the cache is sooner there */
  readonly span?: number;
  readonly kernel: Side;
  /** may do less of the same work */
  readonly twin: Side;
}

/** The clock of processor time moves in steps of some milliseconds: a turn takes many of them. */
const TURN_SECONDS = quick ? 0.03 : 0.08;
const TURNS = quick ? 2 : 3;

export async function secondsOf(work: () => unknown | Promise<unknown>): Promise<number> {
  const turn = async (enough: (runs: number, seconds: number) => boolean) => {
    const before = process.threadCpuUsage();
    for (let runs = 1; ; runs++) {
      await work();
      const { user, system } = process.threadCpuUsage(before);
      const seconds = (user + system) / 1e6;
      if (enough(runs, seconds)) return { runs, each: seconds / runs };
    }
  };
  // The first turn warms up and finds how many runs a turn has.
  const first = await turn((_, seconds) => seconds >= TURN_SECONDS);
  let least = Number.POSITIVE_INFINITY;
  for (let n = 0; n < TURNS; n++) least = Math.min(least, (await turn((runs) => runs >= first.runs)).each);
  return least;
}

/** The work, and what it allocated given back. */
export function released({ memory }: KernelPool, work: () => Promise<unknown>): () => Promise<void> {
  return async () => {
    const mark = memory.mark();
    await work();
    memory.release(mark);
  };
}

/** Work a second. */
export async function rateOf({ run, work }: Side): Promise<number> {
  return work / (await secondsOf(run));
}
