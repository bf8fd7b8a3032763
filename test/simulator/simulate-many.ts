// Seeds one after the other, with sums over all of them.
import { type Counts, NO_COUNTS, sumOf } from './counts.ts';
import { type Run, simulate } from './simulate.ts';

export interface ManyOptions {
  readonly from: number;
  readonly seeds: number;
  /** end at the first seed that breaks something */
  readonly isFirstEnough?: boolean;
  /** end when this much processor time is used up, but not before `LEAST_SEEDS` are done */
  readonly maxSeconds?: number;
  readonly onBroken?: (run: Run) => void;
  /** how many seeds are done, now and then */
  readonly onProgress?: (done: number) => void;
}

export interface Many {
  readonly seeds: number;
  readonly broken: number;
  /** of processor time */
  readonly seconds: number;
  /** whether there was no time for more */
  readonly isTimeUp: boolean;
  readonly sum: Counts;
}

/** On however slow a machine: enough that everything that is counted happens. */
const LEAST_SEEDS = 300;

/** Asking for the processor time takes a part of the time of a seed. */
const SEEDS_PER_LOOK = 20;
const SEEDS_PER_PROGRESS = 200;

export async function simulateMany(options: ManyOptions): Promise<Many> {
  const { from, seeds, isFirstEnough = false, maxSeconds = Number.POSITIVE_INFINITY, onBroken, onProgress } = options;
  const before = process.cpuUsage();
  const usedSeconds = () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1e6;
  };
  let isTimeUp = false;
  let sum: Counts = NO_COUNTS;
  let broken = 0;
  let done = 0;
  for (; done < seeds && !isTimeUp && !(isFirstEnough && broken > 0); done++) {
    if (done >= LEAST_SEEDS && done % SEEDS_PER_LOOK === 0) isTimeUp = usedSeconds() >= maxSeconds;
    if (done % SEEDS_PER_PROGRESS === 0) onProgress?.(done);
    const run = await simulate(from + done).catch((error) => failedRun(from + done, error));
    sum = sumOf([sum, run.counts]);
    if (run.broken.length === 0) continue;
    broken++;
    onBroken?.(run);
  }
  return { seeds: done, broken, seconds: usedSeconds(), isTimeUp, sum };
}

/** Its set-up, or a check, threw. */
const failedRun = (seed: number, error: unknown): Run => ({
  seed,
  broken: [`the run failed: ${error}`],
  fingerprint: () => '',
  counts: NO_COUNTS,
});
