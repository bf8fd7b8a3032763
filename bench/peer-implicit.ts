// G1 beside implicit's ALS on the same split, in one run: quality, and the time G1's whole training (tuning included) takes
// against one ALS fit. Needs a Python with `implicit` (KINDRED_BENCH_PYTHON) and the split's folder (KINDRED_BENCH_DATA);
// says what is missing and skips otherwise.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { report } from './report.ts';

const CUTOFF = 20;
const python = process.env.KINDRED_BENCH_PYTHON ?? 'python3';
const dataDir = process.env.KINDRED_BENCH_DATA ?? '../shared/data';
const train = join(dataDir, 'gowalla/train.txt');
const test = join(dataDir, 'gowalla/test.txt');

function skip(reason: string): never {
  process.stdout.write(`peer-implicit: skipped: ${reason}\n`);
  process.exit(0);
}

function runJson<T>(command: string, args: string[]): T {
  const { status, stdout, stderr } = spawnSync(command, args, {
    encoding: 'utf8',
    env: { ...process.env, OPENBLAS_NUM_THREADS: '1' },
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}:\n${stderr}`);
  return JSON.parse(stdout.slice(stdout.indexOf('{')));
}

if (!existsSync(train)) skip(`no gowalla split in ${dataDir}; set KINDRED_BENCH_DATA`);
const probe = spawnSync(python, ['-c', 'import implicit; print(implicit.__version__)'], { encoding: 'utf8' });
if (probe.status !== 0) skip(`${python} has no package "implicit"; set KINDRED_BENCH_PYTHON`);

const peer = runJson<Record<string, number> & { version: string }>(python, [
  new URL('./peers/implicit_als.py', import.meta.url).pathname,
  train,
  test,
  String(CUTOFF),
]);
const ours = runJson<{ metrics: Record<string, number>; seconds: { total: number } }>(process.execPath, [
  ...['src/main.ts', 'evaluate', '--train', train, '--test', test, '--cutoffs', String(CUTOFF), '--json'],
]);

const name = `implicit ${peer.version} ALS (64 factors, 15 iterations, tuned regularisation), gowalla`;
for (const metric of [`recall@${CUTOFF}`, `ndcg@${CUTOFF}`]) {
  report({
    bench: 'peer-implicit',
    what: `${metric} of G1 {}`,
    ratio: ours.metrics[metric] / peer[metric],
    base: name,
    figures: `${ours.metrics[metric].toFixed(4)} against ${peer[metric].toFixed(4)}`,
  });
}
report({
  bench: 'peer-implicit',
  what: 'seconds of G1 {} with all tuning',
  ratio: ours.seconds.total / (peer.fit_seconds + peer.tuning_seconds),
  base: `${name}, with the tuning of its regularisation`,
  figures: `${ours.seconds.total.toFixed(1)} s against ${(peer.fit_seconds + peer.tuning_seconds).toFixed(1)} s (one fit ${peer.fit_seconds.toFixed(1)} s)`,
});
