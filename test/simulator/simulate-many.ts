// Seeds one after the other, with sums over all of them.
import { type Run, simulate } from './simulate.ts';

export interface ManyOptions {
  readonly from: number;
  readonly seeds: number;
  /** end at the first seed that breaks something */
  readonly isFirstEnough?: boolean;
  /** end when this much processor time is used up */
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
  readonly sum: Record<'steps' | 'faults' | 'calls' | 'answers' | 'excused' | 'none' | 'jobs', number>;
}

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
  const sum = { steps: 0, faults: 0, calls: 0, answers: 0, excused: 0, none: 0, jobs: 0 };
  let broken = 0;
  let done = 0;
  for (; done < seeds && !isTimeUp && !(isFirstEnough && broken > 0); done++) {
    if (done % SEEDS_PER_LOOK === 0) isTimeUp = usedSeconds() >= maxSeconds;
    if (done % SEEDS_PER_PROGRESS === 0) onProgress?.(done);
    const run = await simulate(from + done);
    sum.steps += run.steps;
    sum.faults += run.faults;
    for (const name of ['calls', 'answers', 'excused', 'none', 'jobs'] as const) sum[name] += run.counts[name];
    if (run.broken.length === 0) continue;
    broken++;
    onBroken?.(run);
  }
  return { seeds: done, broken, seconds: usedSeconds(), sum };
}
