// Runs a script of bench/peers with the Python of KINDRED_BENCH_PYTHON, which must have the package `implicit`.
import { spawnSync } from 'node:child_process';

const python = process.env.KINDRED_BENCH_PYTHON ?? 'python3';

/** The version of `implicit`; null, and a line that says so, where it is not installed. */
export function implicitVersion(bench: string): string | null {
  const probe = spawnSync(python, ['-c', 'import implicit; print(implicit.__version__)'], { encoding: 'utf8' });
  if (probe.status === 0) return probe.stdout.trim();
  process.stdout.write(
    `${bench}: skipped: ${python} has no package "implicit"; KINDRED_BENCH_PYTHON names one that has\n`,
  );
  return null;
}

export function runPeer<T>(script: string, args: string[]): T {
  const path = new URL(`../peers/${script}`, import.meta.url).pathname;
  const { status, stdout, stderr } = spawnSync(python, [path, ...args], {
    encoding: 'utf8',
    // implicit asks for it: its own threads and BLAS's would fight.
    env: { ...process.env, OPENBLAS_NUM_THREADS: '1' },
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`${script} ended with ${status}:\n${stderr}`);
  return JSON.parse(stdout.slice(stdout.indexOf('{')));
}
