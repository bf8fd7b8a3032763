// `npm test`: runs every test file with Node's own runner, on kernels that are up to date. `npm test -- PATTERN…` runs the files
// whose path contains a pattern. `npm run test:fast` runs what can tell most mistakes in under a minute: units and contracts, on
// SQLite alone, without the files below.
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { isCurrent } from '../src/kernels/kernel-build.ts';

/** Files that take seconds: they train models, kill processes, or wait for time to pass. */
const SLOW = [
  'src/catalog/worst-filters.test.ts',
  'src/http/answer-limits.test.ts',
  'src/insight/clustering/clustering.test.ts',
  'src/insight/planted-truth.test.ts',
  'src/kernels/kernel-pool.test.ts',
  'src/relations/fit-relations.test.ts',
  'src/scoring/calibration.test.ts',
  'src/serving/fair-turns.test.ts',
  'src/serving/filter-sets.test.ts',
  'src/training/attribute-lifts.test.ts',
  'src/training/learned-ranker.test.ts',
  'src/training/train-model.test.ts',
  'test/contract/algorithm-parameters.test.ts',
  'test/contract/calibration.test.ts',
  'test/contract/erasure.test.ts',
  'test/contract/odd-data.test.ts',
  'test/contract/pages.test.ts',
  'test/contract/restore-crafted.test.ts',
  'test/contract/store-backup.test.ts',
  'test/contract/store-durability.test.ts',
  'test/contract/store-faults.test.ts',
  'test/contract/store-postgres.test.ts',
  'test/contract/store-shares.test.ts',
];

const isFast = process.argv.includes('--fast');
const patterns = process.argv.slice(2).filter((word) => !word.startsWith('-'));
const files = globSync(['src/**/*.test.ts', 'test/**/*.test.ts', 'console/**/*.test.ts'])
  .filter((file) => !file.startsWith('test/soak/') && !file.includes('node_modules'))
  .filter((file) => !isFast || (!SLOW.includes(file) && !/^test\/(?!contract\/)/.test(file)))
  .filter((file) => patterns.length === 0 || patterns.some((pattern) => file.includes(pattern)))
  .sort();
if (files.length === 0) {
  process.stderr.write(`no test file matches ${patterns.join(' ')}\n`);
  process.exit(1);
}
// A pull may have changed the kernels under a build of yesterday.
if (!isCurrent('build/kernels')) {
  spawnSync(process.execPath, ['scripts/build-kernels.ts'], { stdio: 'inherit' });
}
const concurrency = isFast ? availableParallelism() : 2;
const args = ['--test', `--test-concurrency=${concurrency}`, '--test-timeout=300000'];
const { status } = spawnSync(process.execPath, [...args, ...(isFast ? ['--test-reporter=dot'] : []), ...files], {
  stdio: 'inherit',
  env: {
    ...process.env,
    // Every test file is a process: what one has compiled the next one loads.
    NODE_COMPILE_CACHE: resolve('build/compile-cache'),
    ...(isFast && { KINDRED_TEST_DATABASES: 'sqlite' }),
  },
});
process.exit(status ?? 1);
