// The public splits and how they are measured. They are data of others and no part of the project: docs/benchmarks.md says
// where to get them; KINDRED_BENCH_DATA names the folder that holds them.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const dataDir = process.env.KINDRED_BENCH_DATA ?? '../shared/data';

export interface SplitFiles {
  train: string;
  test: string;
}

const file = (path: string): string => join(dataDir, path);
export const GOWALLA: SplitFiles = { train: file('gowalla/train.txt'), test: file('gowalla/test.txt') };
export const MOVIELENS_NEXT: SplitFiles = {
  train: file('ml1m-next/history.txt'),
  test: file('ml1m-next/target.txt'),
};

/** Whether the split is there; says so when it is not. */
export function isThere(bench: string, { train, test }: SplitFiles): boolean {
  if (existsSync(train) && existsSync(test)) return true;
  process.stdout.write(`${bench}: skipped, no ${train}; KINDRED_BENCH_DATA names the folder of the public splits\n`);
  return false;
}

export interface Quality {
  recall: number;
  ndcg: number;
}

export interface Evaluated extends Quality {
  popularity: Quality;
  interval: [number, number];
  seconds: number;
  /** without reading the files and ranking for the test users */
  trainingSeconds: number;
  peakMb: number;
}

/** `kindred evaluate`, by default with `{}` as parameters. */
export function evaluate(
  { train, test }: SplitFiles,
  cutoff: number,
  reading: 'auto' | 'set' | 'order',
  parameters: object = {},
): Evaluated {
  const main = new URL('../../src/main.ts', import.meta.url).pathname;
  const files = ['--train', train, '--test', test, '--cutoffs', String(cutoff), '--reading', reading];
  files.push('--parameters', JSON.stringify(parameters));
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, 'evaluate', ...files, '--json'], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(stderr);
  const result = JSON.parse(stdout);
  const of = (metrics: Record<string, number>): Quality => ({
    recall: metrics[`recall@${cutoff}`],
    ndcg: metrics[`ndcg@${cutoff}`],
  });
  return {
    ...of(result.metrics),
    popularity: of(result.popularity),
    interval: result.intervals[`ndcg@${cutoff}`],
    seconds: result.seconds.total,
    trainingSeconds: result.seconds.total - result.seconds.read - result.seconds.evaluate,
    peakMb: result.peak_memory_mb,
  };
}

/** Items by user: line n is user n, or, with `named`, the first word of a line is its user. */
export function readLines(path: string, named: boolean): Map<string, string[]> {
  const users = new Map<string, string[]>();
  for (const [n, line] of readFileSync(path, 'utf8').split('\n').entries()) {
    const words = line.split(' ').filter(Boolean);
    const user = named ? words.shift() : String(n);
    if (user !== undefined && words.length > 0) users.set(user, words);
  }
  return users;
}

export const inWords = ({ recall, ndcg }: Quality, cutoff: number): string =>
  `recall@${cutoff} ${recall.toFixed(4)}, ndcg@${cutoff} ${ndcg.toFixed(4)}`;

/** The two rows of every comparison: against popularity, and against somebody else. */
export const besidePopularity = (ours: Evaluated, cutoff: number) => ({
  ratio: ours.ndcg / ours.popularity.ndcg,
  base: "popularity's NDCG",
  figures: `${inWords(ours, cutoff)}, ${ours.seconds.toFixed(0)} s, ${ours.peakMb} MB`,
});

export const besideAnother = (ours: Quality, theirs: Quality, base: string, cutoff: number) => ({
  ratio: ours.ndcg / theirs.ndcg,
  base,
  figures: `${inWords(ours, cutoff)} against ${inWords(theirs, cutoff)}`,
});
