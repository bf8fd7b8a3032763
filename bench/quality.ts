// Quality of the default on public splits, through `kindred evaluate`. Looks for the splits under KINDRED_BENCH_DATA and skips
// what is not there: they are data of others and not part of the project.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { report } from './report.ts';

const dataDir = process.env.KINDRED_BENCH_DATA ?? '../shared/data';

interface SplitCase {
  name: string;
  train: string;
  test: string;
  cutoff: number;
  reading: string;
  recall: number;
  ndcg: number;
  seconds: number;
}

const gowalla = { train: 'gowalla/train.txt', test: 'gowalla/test.txt', cutoff: 20 };
const CASES: SplitCase[] = [
  { name: 'gowalla, set', ...gowalla, reading: 'set', recall: 0.191, ndcg: 0.158, seconds: 120 },
  { name: 'gowalla, order', ...gowalla, reading: 'order', recall: 0.201, ndcg: 0.169, seconds: 120 },
  {
    ...{ name: 'MovieLens-1M, next item', train: 'ml1m-next/history.txt', test: 'ml1m-next/target.txt', cutoff: 10 },
    ...{ reading: 'auto', recall: 0.295, ndcg: 0.174, seconds: 60 },
  },
];

for (const split of CASES) {
  const [train, test] = [join(dataDir, split.train), join(dataDir, split.test)];
  if (!existsSync(train)) {
    process.stdout.write(`quality: ${split.name}: skipped, no ${train}\n`);
    continue;
  }
  const main = new URL('../src/main.ts', import.meta.url).pathname;
  const files = ['--train', train, '--test', test, '--cutoffs', String(split.cutoff), '--reading', split.reading];
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, 'evaluate', ...files, '--json'], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(stderr);
  const result = JSON.parse(stdout);
  const recall: number = result.metrics[`recall@${split.cutoff}`];
  const ndcg: number = result.metrics[`ndcg@${split.cutoff}`];
  report({
    bench: 'quality',
    what: split.name,
    ratio: ndcg / result.popularity[`ndcg@${split.cutoff}`],
    base: "popularity's NDCG",
    figures: `recall@${split.cutoff} ${recall.toFixed(4)}, ndcg@${split.cutoff} ${ndcg.toFixed(4)}, ${result.seconds.total.toFixed(0)} s, ${result.peak_memory_mb} MB`,
    bar: `recall ${split.recall}, ndcg ${split.ndcg}, ${split.seconds} s`,
    met: recall >= split.recall && ndcg >= split.ndcg && result.seconds.total <= split.seconds,
  });
}
