// `npm run test:mutation -- src/domain/filter/filter.ts src/store/page.ts --minutes 5`: changes the sources in small ways, one at a time
// (Stryker's mutants), and sees whether a test fails. With `--sql` it changes the statements that the tests of these sources run.
// Prints the score and the mutants that no test noticed. It works on a copy of the checkout. Mutants come in an order drawn from a
// seed, so that a short run is a sample.
import { globSync, mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { seededRandom } from '../../src/base/seeded-random.ts';
import { refuseArguments, scriptOptions } from '../support/script-options.ts';
import { CheckoutCopy } from './checkout-copy.ts';
import { type Candidate, type Kind, sourceMutants, statementMutants } from './kinds.ts';
import { testsOf } from './tests-of.ts';
import { WarmProcesses } from './warm-process.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const ENDLESS_FACTOR = 5;
const ENDLESS_EXTRA_MS = 10_000;
const MAX_WARM_MS = 5000;

type Verdict = 'killed' | 'survived' | 'not reached';

const SCRIPT = {
  usage: 'npm run test:mutation -- src/domain src/store/page.ts --minutes 5',
  allowPositionals: true,
  options: {
    minutes: { type: 'string', default: '10', help: 'how long mutants are tried' },
    seed: { type: 'string', default: '1', help: 'the order of the mutants: a short run is a sample' },
    from: { type: 'string', default: '0', help: 'how many of this order to leave out, because they were tried before' },
    jobs: { type: 'string', default: '2', help: 'number of test files at a time' },
    sql: { type: 'boolean', default: false, help: 'change the SQL statements that the tests run' },
    only: { type: 'string', default: '', help: 'only mutants whose description contains it' },
    tests: { type: 'string', multiple: true, help: 'a test file to run, in place of those that are found' },
  },
} as const;
const { values, positionals } = scriptOptions(SCRIPT);
const say = (line: string): void => void process.stdout.write(`${line}\n`);

function sourcesOf(paths: readonly string[]): string[] {
  const files = paths.flatMap((path) => {
    const name = relative(ROOT, resolve(path));
    return statSync(join(ROOT, name)).isDirectory() ? globSync(`${name}/**/*.ts`, { cwd: ROOT }) : [name];
  });
  return files.filter((file) => !file.endsWith('.test.ts')).sort();
}

interface TestFile {
  name: string;
  ms: number;
  reached: ReadonlySet<string>;
}

/** Runs each test file once without a mutant. */
async function measure(copy: CheckoutCopy, tests: readonly string[], kind: Kind): Promise<TestFile[]> {
  const measured: TestFile[] = [];
  await inJobs([...tests], async (name) => {
    const folder = mkdtempSync(join(copy.folder, 'coverage-'));
    const startedMs = performance.now();
    // Processes that a test starts tell what they reached, too.
    const env = { MUTANT_COVERAGE_DIR: folder, NODE_OPTIONS: preload(kind.recorder) };
    if (!(await copy.passes(name, env, 300_000))) return say(`${name} fails without a mutant and is left out`);
    const ms = performance.now() - startedMs;
    const lines = readdirSync(folder).flatMap((file) => readFileSync(join(folder, file), 'utf8').trim().split('\n'));
    measured.push({ name, ms, reached: new Set(lines.map((line) => kind.placeOf(JSON.parse(line)))) });
  });
  return measured.sort((a, b) => a.ms - b.ms);
}

const preload = (name: string): string => `--import=${pathToFileURL(join(copy.folder, 'test/mutation', name))}`;

/** Takes from the end of the list, some at a time. */
async function inJobs<T>(waiting: T[], work: (one: T) => Promise<void>): Promise<void> {
  const next = async (): Promise<void> => {
    while (waiting.length > 0) await work(waiting.pop()!);
  };
  await Promise.all(Array.from({ length: Number(values.jobs) }, next));
}

/** Tests next to sources mostly need nothing but a process. */
const isWarm = ({ name, ms }: TestFile): boolean => !values.sql && name.startsWith('src/') && ms < MAX_WARM_MS;

async function judge(copy: CheckoutCopy, tests: readonly TestFile[], { place, env }: Candidate): Promise<Verdict> {
  const able = tests.filter(({ reached }) => reached.has(place));
  for (const { name } of able.filter(isWarm)) if (await warm.finds(name, place)) return 'killed';
  for (const { name, ms } of able) {
    if (!(await copy.passes(name, env, ms * ENDLESS_FACTOR + ENDLESS_EXTRA_MS))) return 'killed';
  }
  return able.length === 0 ? 'not reached' : 'survived';
}

function shuffled<T>(list: readonly T[], seed: number): T[] {
  const { below } = seededRandom(seed);
  const result = [...list];
  for (let n = result.length - 1; n > 0; n--) {
    const other = below(n + 1);
    [result[n], result[other]] = [result[other], result[n]];
  }
  return result;
}

function sayScores(verdicts: ReadonlyMap<Candidate, Verdict>): void {
  const groups = [...new Set([...verdicts.keys()].map(({ group }) => group))].sort();
  for (const name of [...groups, undefined]) {
    const count = (verdict: Verdict): number =>
      [...verdicts].filter(([{ group }, is]) => is === verdict && (name === undefined || group === name)).length;
    const [killed, survived, missed] = [count('killed'), count('survived'), count('not reached')];
    const all = killed + survived + missed;
    const share = ((100 * killed) / Math.max(1, all)).toFixed(0);
    say(`${name ?? 'all'}: ${share}% of ${all} tried found (${survived} survived, ${missed} not reached)`);
  }
}

const endMs = performance.now() + Number(values.minutes) * 60_000;
const sources = sourcesOf(positionals);
if (sources.length === 0) refuseArguments(SCRIPT, 'Name a file or a folder.');
const copy = new CheckoutCopy(ROOT);
const warm = new WarmProcesses((test) => copy.warm(test));
const verdicts = new Map<Candidate, Verdict>();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    sayScores(verdicts);
    copy.remove();
    process.exit(1);
  });
}
try {
  const kind = values.sql ? statementMutants(preload) : await sourceMutants(ROOT, copy.folder, sources);
  const able = values.tests ?? sources.flatMap((file) => testsOf(ROOT, file));
  const tests = await measure(copy, [...new Set(able)], kind);
  const reached = new Set(tests.flatMap((test) => [...test.reached]));
  const candidates = kind.candidates(reached).filter((one) => one.describe().includes(values.only));
  say(`${candidates.length} mutants of ${sources.length} files, ${tests.length} test files`);
  const waiting = shuffled(candidates, Number(values.seed)).slice(0, candidates.length - Number(values.from));
  const count = waiting.length;
  await inJobs(waiting, async (candidate) => {
    if (performance.now() > endMs) return;
    const verdict = await judge(copy, tests, candidate);
    verdicts.set(candidate, verdict);
    if (verdict !== 'killed') say(`${verdict}: ${candidate.describe()}`);
  });
  sayScores(verdicts);
  const untried = count - verdicts.size;
  if (untried > 0) say(`${untried} were not tried: the time was over`);
} finally {
  copy.remove();
}
