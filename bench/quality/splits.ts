// The public splits and how they are measured. They are data of others and no part of the project: docs/benchmarks.md says
// where to get them. KINDRED_BENCH_DATA names the folder that holds them; what is made of them, and what peers reached, is kept
// in KINDRED_BENCH_CACHE.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FileEvaluation } from '../../src/training/evaluate-files.ts';
import { type Interval, pooled } from './intervals.ts';

/** What models report is at this cut-off. */
const REPORT_CUTOFF = 10;
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

/** An NDCG and its 95% interval. */
export interface Figure {
  mean: number;
  interval: Interval;
  /** questions */
  count: number;
}

export interface Evaluated extends Quality {
  popularity: Quality;
  /** of the NDCG, 95% */
  interval: Interval;
  /** NDCG at 10 that the model itself reports for the same kind of question, and what was measured; null: it reports none */
  reported: { own: Figure; measured: Figure } | null;
  users: number;
  seconds: number;
  /** of all threads: what it costs however busy the machine is */
  processorSeconds: number;
  /** without reading the files and ranking for the test users */
  trainingSeconds: number;
  peakMb: number;
}

export interface EvaluateOptions {
  cutoff: number;
  reading?: 'auto' | 'set' | 'order';
  horizon?: 'arriving' | 'browsing' | 'later';
  objective?: 'discover' | 'again' | 'any';
  targetEventType?: string;
  parameters?: object;
  /** false: models report no figure for what is asked */
  isReported?: boolean;
}

/** `kindred evaluate`, by default with `{}` as parameters. */
export function evaluate({ train, test }: SplitFiles, options: EvaluateOptions): Evaluated {
  const { cutoff, reading = 'auto', horizon, objective, targetEventType, parameters = {} } = options;
  const main = new URL('../../src/main.ts', import.meta.url).pathname;
  const cutoffs = [...new Set([REPORT_CUTOFF, cutoff])].join(',');
  const args = ['--train', train, '--test', test, '--cutoffs', cutoffs, '--reading', reading];
  if (horizon !== undefined) args.push('--horizon', horizon);
  if (objective !== undefined) args.push('--objective', objective);
  if (targetEventType !== undefined) args.push('--target-event-type', targetEventType);
  args.push('--parameters', JSON.stringify(parameters));
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, 'evaluate', ...args, '--json'], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(stderr);
  const result: FileEvaluation = JSON.parse(stdout);
  const of = (metrics: Record<string, number>): Quality => ({
    recall: metrics[`recall@${cutoff}`],
    ndcg: metrics[`ndcg@${cutoff}`],
  });
  return {
    ...of(result.metrics),
    popularity: of(result.popularity),
    interval: result.intervals[`ndcg@${cutoff}`],
    reported: options.isReported === false ? null : reportedOf(result, objective),
    users: result.users,
    seconds: result.seconds.total,
    processorSeconds: result.processor_seconds.total,
    trainingSeconds: result.seconds.total - result.seconds.read - result.seconds.evaluate,
    peakMb: result.peak_memory_mb,
  };
}

/** The model's metrics for the given objective, else its main ones. */
function reportedOf(result: FileEvaluation, objective: string | undefined): Evaluated['reported'] {
  const { reported, metrics, intervals, users } = result;
  const own = reported?.by_question?.find((one) => one.objective === (objective ?? reported.objective));
  if (own === undefined) return null;
  const at = `ndcg@${REPORT_CUTOFF}`;
  return {
    own: { mean: own.model.ndcg, interval: own.intervals.ndcg, count: own.questions },
    measured: { mean: metrics[at], interval: intervals[at], count: users },
  };
}

/** One training and test a part; the questions of all parts count alike. */
export function evaluateAll(parts: readonly SplitFiles[], options: EvaluateOptions): Evaluated {
  const each = parts.map((part) => evaluate(part, options));
  const sum = (of: (one: Evaluated) => number) => each.reduce((total, one) => total + of(one), 0);
  const users = sum((one) => one.users);
  const mean = (of: (one: Evaluated) => number) => sum((one) => of(one) * one.users) / users;
  const reported = each.flatMap((one) => one.reported ?? []);
  return {
    recall: mean((one) => one.recall),
    ndcg: mean((one) => one.ndcg),
    popularity: { recall: mean((one) => one.popularity.recall), ndcg: mean((one) => one.popularity.ndcg) },
    interval: pooled(each.map((one) => ({ mean: one.ndcg, interval: one.interval, count: one.users }))).interval,
    reported:
      reported.length < each.length
        ? null
        : { own: pooled(reported.map(({ own }) => own)), measured: pooled(reported.map(({ measured }) => measured)) },
    users,
    seconds: sum((one) => one.seconds),
    processorSeconds: sum((one) => one.processorSeconds),
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
