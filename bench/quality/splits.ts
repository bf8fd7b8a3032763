// The public splits and how they are measured. They are data of others and no part of the project: docs/benchmarks.md says
// where to get them. KINDRED_BENCH_DATA names the folder that holds them; what is made of them, and what peers reached, is kept
// in KINDRED_BENCH_CACHE.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Interval, pooled } from './intervals.ts';

const dataDir = process.env.KINDRED_BENCH_DATA ?? '../shared/data';
export const cacheDir = process.env.KINDRED_BENCH_CACHE ?? join(tmpdir(), 'kindred-bench-cache');
export const dataFile = (path: string): string => join(dataDir, path);

export interface SplitFiles {
  train: string;
  test: string;
}

export const GOWALLA: SplitFiles = { train: dataFile('gowalla/train.txt'), test: dataFile('gowalla/test.txt') };
export const YELP: SplitFiles = { train: dataFile('yelp2018/train.txt'), test: dataFile('yelp2018/test.txt') };
export const BEAUTY_NEXT: SplitFiles = {
  train: dataFile('beauty-next/history.txt'),
  test: dataFile('beauty-next/target.txt'),
};
export const MOVIELENS_NEXT: SplitFiles = {
  train: dataFile('ml1m-next/history.txt'),
  test: dataFile('ml1m-next/target.txt'),
};

/** Whether the files are there; says so when they are not. */
export function isThere(bench: string, ...files: string[]): boolean {
  const missing = files.find((file) => !existsSync(file));
  if (missing === undefined) return true;
  process.stdout.write(`${bench}: skipped, no ${missing}; KINDRED_BENCH_DATA names the folder of the public splits\n`);
  return false;
}

export interface Quality {
  recall: number;
  ndcg: number;
}

export interface Evaluated extends Quality {
  popularity: Quality;
  /** of the NDCG, 95 % */
  interval: Interval;
  users: number;
  seconds: number;
  /** without reading the files and ranking for the test users */
  trainingSeconds: number;
  peakMb: number;
}

export interface EvaluateOptions {
  cutoff: number;
  reading?: 'auto' | 'set' | 'order';
  targetEventType?: string;
  parameters?: object;
}

/** `kindred evaluate`, by default with `{}` as parameters. */
export function evaluate({ train, test }: SplitFiles, options: EvaluateOptions): Evaluated {
  const { cutoff, reading = 'auto', targetEventType, parameters = {} } = options;
  const main = new URL('../../src/main.ts', import.meta.url).pathname;
  const args = ['--train', train, '--test', test, '--cutoffs', String(cutoff), '--reading', reading];
  if (targetEventType !== undefined) args.push('--target-event-type', targetEventType);
  args.push('--parameters', JSON.stringify(parameters));
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, 'evaluate', ...args, '--json'], {
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
    users: result.users,
    seconds: result.seconds.total,
    trainingSeconds: result.seconds.total - result.seconds.read - result.seconds.evaluate,
    peakMb: result.peak_memory_mb,
  };
}

/** One training and test a part; the questions of all parts count alike. */
export function evaluateAll(parts: readonly SplitFiles[], options: EvaluateOptions): Evaluated {
  const each = parts.map((part) => evaluate(part, options));
  const mean = (of: (one: Evaluated) => number) =>
    pooled(each.map((one) => ({ mean: of(one), interval: one.interval, count: one.users }))).mean;
  const sum = (of: (one: Evaluated) => number) => each.reduce((total, one) => total + of(one), 0);
  return {
    recall: mean((one) => one.recall),
    ndcg: mean((one) => one.ndcg),
    popularity: { recall: mean((one) => one.popularity.recall), ndcg: mean((one) => one.popularity.ndcg) },
    interval: pooled(each.map((one) => ({ mean: one.ndcg, interval: one.interval, count: one.users }))).interval,
    users: sum((one) => one.users),
    seconds: sum((one) => one.seconds),
    trainingSeconds: sum((one) => one.trainingSeconds),
    peakMb: Math.max(...each.map((one) => one.peakMb)),
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
