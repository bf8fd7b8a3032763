// The hot kernels against their plain TypeScript twins, which are written for reading, and against what limits them on this
// machine: multiply-adds in registers, bytes read in a row, or adds at scattered places. All in one thread, by processor time.
import { KernelPool } from '../src/kernels/kernel-pool.ts';
import { measureLimits } from './kernels/limits.ts';
import { type KernelCase, rateOf } from './kernels/measure.ts';
import { scoringCases } from './kernels/scoring-cases.ts';
import { trainingCases } from './kernels/training-cases.ts';
import { quick, report } from './report.ts';

const limitOf = await measureLimits();

async function reportCase({ what, limit, span = 0, kernel, twin }: KernelCase): Promise<void> {
  const rate = await rateOf(kernel);
  const most = await limitOf(limit, span);
  report({
    bench: 'kernels',
    what,
    ratio: rate / (await rateOf(twin)),
    base: 'plain TypeScript twin',
    figures: `${((100 * rate) / most).toFixed(0)}% of its limit: ${billions(rate)} of ${billions(most)} ${limit}/s`,
  });
}

const billions = (rate: number) => `${(rate / 1e9).toFixed(2)} G`;

for (const cases of [
  (pool: KernelPool) => trainingCases(pool, quick ? 1000 : 4200),
  (pool: KernelPool) => scoringCases(pool, quick ? 4000 : 40_000),
]) {
  const pool = new KernelPool(1);
  for await (const one of cases(pool)) await reportCase(one);
  await pool.close();
}
