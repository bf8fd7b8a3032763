// `npm test`: runs every test file with Node's own runner, on kernels that are up to date, while types and lint are checked (`--check`).
// `npm test -- PATTERN…` runs the files whose path contains a pattern; with `--times` it prints which files took the most processor
// time. `npm run test:fast` runs what can tell most mistakes in under a minute: units and contracts, on SQLite alone, without the
// files below. `npm run test:long` runs what would make `npm test` too long: test/long (cost, memory, faults, the installed package),
// and on PostgreSQL the suites that `npm test` runs on SQLite alone.
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, constants, setPriority } from 'node:os';
import { resolve } from 'node:path';
import { run } from 'node:test';
import { dot, spec } from 'node:test/reporters';
import { isCurrent } from '../src/kernels/kernel-build.ts';
import { SHARED_POSTGRES, startSharedPostgres } from '../test/support/postgres.ts';
import { scriptOptions } from '../test/support/script-options.ts';
import { check } from './check.ts';
import { inFewerProcesses } from './test-groups.ts';
import { slowestFiles, TIMES_FOLDER } from './test-times.ts';

/** Files that take seconds: they train models, kill processes, or wait for time to pass. */
const SLOW = [
  'src/http/response-limits.test.ts',
  'src/insight/clustering/clustering.test.ts',
  'src/insight/planted-truth.test.ts',
  'src/kernels/kernel-pool.test.ts',
  'src/relations/fit-relations.test.ts',
  'src/scoring/calibration.test.ts',
  'src/serving/fair-turns.test.ts',
  'src/serving/filter-sets.test.ts',
  'src/training/attribute-lifts.test.ts',
  'src/training/train-model.test.ts',
  'test/contract/algorithm-parameters.test.ts',
  'test/contract/erasure.test.ts',
  'test/contract/pages.test.ts',
  'test/contract/restore-crafted.test.ts',
  'test/contract/store-backup.test.ts',
  'test/contract/store-faults.test.ts',
  'test/contract/store-postgres.test.ts',
];

/** Files of a few seconds, which the fast lane has no time for either. */
const NOT_FAST = [
  ...SLOW,
  'src/aggregation/built-in.test.ts',
  'src/dataset/kept-items.test.ts',
  'src/domain/record-batch.test.ts',
  'src/jobs/recommendation/list-threads.test.ts',
  'src/outcomes/experiments/experiments.test.ts',
  'src/training/item-room.test.ts',
  'src/training/metamorphic.test.ts',
  'src/training/small-data.test.ts',
  'test/contract/event-aggregation.test.ts',
  'test/contract/job-parts.test.ts',
  'test/contract/tallies.test.ts',
  'test/contract/training-events.test.ts',
];

/** They take longest, each in a process of its own and before all others, so that none of them runs on alone at the end. */
const LONGEST = [
  'test/long/faults.test.ts',
  'test/e2e/commands.test.ts',
  'test/e2e/bad-input.test.ts',
  'test/browser/first-run.test.ts',
  'test/long/account-command.test.ts',
  'test/long/simulation.test.ts',
  'test/simulator/simulation.test.ts',
  'test/long/memory-gauges.test.ts',
  'test/long/struck-workers.test.ts',
  'test/long/simulation-mutations.test.ts',
  'test/long/job-parts.test.ts',
  'test/long/import-job.test.ts',
  'test/long/recommendation-job.test.ts',
  'test/long/request-cost.test.ts',
  'test/long/export-job.test.ts',
  'test/long/installed-package.test.ts',
];
/** Then the services, then units that train, then what takes under a second. */
const FIRST = [...LONGEST, 'test/browser/', 'test/long/', 'test/e2e/', 'test/', ...SLOW, 'src/training/', ''];
/** Of a file, or of a group of them. */
const FILE_TIMEOUT_MS = 600_000;

const { values: options, positionals: patterns } = scriptOptions({
  usage: 'npm run test -- src/domain placements.test',
  allowPositionals: true,
  options: {
    fast: { type: 'boolean', default: false, help: 'units and contracts only, on SQLite alone' },
    long: { type: 'boolean', default: false, help: 'the files of test/long, and long suites on PostgreSQL' },
    check: { type: 'boolean', default: false, help: 'check types, lint and format meanwhile' },
    times: { type: 'boolean', default: false, help: 'print which files took the most processor time' },
  },
});
const { fast: isFast, long: isLong, times: tellsTimes } = options;
const rank = (file: string): number => FIRST.findIndex((start) => file.startsWith(start));
const isOfLongRun = (file: string): boolean =>
  file.startsWith('test/long/') || readFileSync(file, 'utf8').includes('of DIALECTS_OF_LONG_SUITES)');
const files = globSync(['src/**/*.test.ts', 'test/**/*.test.ts', 'console/**/*.test.ts', 'bench/**/*.test.ts'])
  .filter((file) => !/^test\/(soak|kafka|helm|network|spark)\//.test(file) && !file.includes('node_modules'))
  .filter((file) => (isLong ? isOfLongRun(file) : !file.startsWith('test/long/')))
  .filter((file) => !isFast || (!NOT_FAST.includes(file) && !/^test\/(?!contract\/)/.test(file)))
  .filter((file) => patterns.length === 0 || patterns.some((pattern) => file.includes(pattern)))
  .sort((a, b) => rank(a) - rank(b) || a.localeCompare(b));
if (files.length === 0) {
  process.stderr.write(`no test file matches ${patterns.join(' ')}\n`);
  process.exit(1);
}
// A pull may have changed the kernels under a build of yesterday.
if (!isCurrent('build/kernels')) {
  spawnSync(process.execPath, ['scripts/build-kernels.ts'], { stdio: 'inherit' });
}
// Jobs run at the lowest priority. If tests ran at a higher one, the tests of other files would leave jobs next to no time.
setPriority(constants.priority.PRIORITY_LOW);
// Every test file is a process: what one has compiled the next one loads.
process.env.NODE_COMPILE_CACHE = resolve('build/compile-cache');
if (isLong) process.env.KINDRED_TEST_LONG = '1';
if (isFast) process.env.KINDRED_TEST_DATABASES = 'sqlite';
else if (files.length > 1) process.env[SHARED_POSTGRES] = await startSharedPostgres();
if (tellsTimes) {
  rmSync(TIMES_FOLDER, { recursive: true, force: true });
  mkdirSync(TIMES_FOLDER, { recursive: true });
}

const checked = options.check ? check() : Promise.resolve(true);

// Many files mostly wait, so there are more than there are cores; those of the long run wait less. What costs are asserted are counted,
// not timed.
const concurrency = availableParallelism() + (isFast ? 0 : isLong ? 2 : 4);
const execArgv = tellsTimes ? [`--import=${resolve('scripts/test-times.ts')}`] : [];
const takesLong = (file: string): boolean => SLOW.includes(file) || LONGEST.includes(file);
const isEachAlone = patterns.length > 0 || tellsTimes;
const paths = (isEachAlone ? files : inFewerProcesses(files, takesLong)).map((file) => resolve(file));
const results = run({ files: paths, concurrency, timeout: FILE_TIMEOUT_MS, execArgv });
results.on('test:fail', ({ todo }) => {
  if (todo === undefined) process.exitCode = 1;
});
const output = isFast ? results.compose(dot) : results.compose(new spec());
output.on('end', () => {
  if (tellsTimes) process.stdout.write(slowestFiles());
});
output.pipe(process.stdout);
if (!(await checked)) {
  process.stderr.write('Types or lint failed.\n');
  process.exitCode = 1;
}
