// `npm run test:mutation -- src/domain/filter.ts src/store/page.ts --minutes 5`: changes the sources in small ways, one at a time
// (Stryker's mutants), and sees whether a test fails. Prints the score and the mutants that no test noticed. It works on a copy of
// the checkout. Mutants come in an order drawn from a seed, so that a short run is a sample.
import { type ChildProcess, spawn } from 'node:child_process';
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { seededRandom } from '../../src/domain/seeded-random.ts';
import { ACTIVE_MUTANT, type Mutant, plantMutants } from './stryker.ts';
import { testsOf } from './tests-of.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const SKIPPED = new Set(['node_modules', '.git', 'data']);
const ENDLESS_FACTOR = 5;
const ENDLESS_EXTRA_MS = 10_000;

type Verdict = 'killed' | 'survived' | 'not reached';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    jobs: { type: 'string', default: '2' },
    /** the test files to run, in place of those that testsOf finds */
    tests: { type: 'string', multiple: true },
  },
});
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const running = new Set<ChildProcess>();

function sourcesOf(paths: readonly string[]): string[] {
  const files = paths.flatMap((path) => {
    const name = relative(ROOT, resolve(path));
    return statSync(join(ROOT, name)).isDirectory() ? globSync(`${name}/**/*.ts`, { cwd: ROOT }) : [name];
  });
  return files.filter((file) => !file.endsWith('.test.ts')).sort();
}

function copyOfCheckout(): string {
  const copy = mkdtempSync(join(tmpdir(), 'kindred-mutation-'));
  for (const name of readdirSync(ROOT)) {
    if (!SKIPPED.has(name)) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

/** Resolves to whether the test file passes. */
function passes(copy: string, test: string, env: Record<string, string>, limitMs: number): Promise<boolean> {
  const child = spawn(process.execPath, [test], {
    cwd: copy,
    stdio: 'ignore',
    // A process group, so that what the test has started ends with it.
    detached: true,
    env: {
      ...{ ...process.env, KINDRED_TEST_DATABASES: 'sqlite', NODE_TEST_CONTEXT: undefined },
      // All mutants are in the same sources, so what one run has compiled the next one loads.
      NODE_COMPILE_CACHE: join(copy, 'compile-cache'),
      ...env,
    },
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), limitMs);
  running.add(child);
  return new Promise((resolved) => {
    child.on('exit', (code) => {
      clearTimeout(timer);
      running.delete(child);
      endGroup(child);
      resolved(code === 0);
    });
  });
}

/** Ends what the process and those it has started have left. */
function endGroup({ pid }: ChildProcess): void {
  try {
    process.kill(-pid!, 'SIGKILL');
  } catch {
    // Nothing is left.
  }
}

interface TestFile {
  name: string;
  ms: number;
  reached: ReadonlySet<string>;
}

/** Runs each test file once without a mutant. */
async function measure(copy: string, tests: readonly string[]): Promise<TestFile[]> {
  const measured: TestFile[] = [];
  // Processes that a test starts tell what they reached, too.
  const NODE_OPTIONS = `--import=${pathToFileURL(join(copy, 'test/mutation/record-coverage.ts'))}`;
  await inJobs([...tests], async (name) => {
    const folder = mkdtempSync(join(copy, 'coverage-'));
    const startedMs = performance.now();
    if (!(await passes(copy, name, { MUTANT_COVERAGE_DIR: folder, NODE_OPTIONS }, 300_000))) {
      return say(`${name} fails without a mutant and is left out`);
    }
    const reached = readdirSync(folder).flatMap((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')));
    measured.push({ name, ms: performance.now() - startedMs, reached: new Set(reached) });
  });
  return measured.sort((a, b) => a.ms - b.ms);
}

/** Takes from the end of the list, some at a time. */
async function inJobs<T>(waiting: T[], work: (one: T) => Promise<void>): Promise<void> {
  const next = async (): Promise<void> => {
    while (waiting.length > 0) await work(waiting.pop()!);
  };
  await Promise.all(Array.from({ length: Number(values.jobs) }, next));
}

async function judge(copy: string, tests: readonly TestFile[], { id }: Mutant): Promise<Verdict> {
  const able = tests.filter(({ reached }) => reached.has(id));
  for (const { name, ms } of able) {
    const limitMs = ms * ENDLESS_FACTOR + ENDLESS_EXTRA_MS;
    if (!(await passes(copy, name, { [ACTIVE_MUTANT]: id }, limitMs))) return 'killed';
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

function describe({ fileName, mutatorName, replacement, location }: Mutant): string {
  const { start, end } = location;
  const lines = readFileSync(join(ROOT, fileName), 'utf8')
    .split('\n')
    .slice(start.line, end.line + 1);
  lines[lines.length - 1] = lines[lines.length - 1].slice(0, end.column);
  const short = (text: string): string => text.replace(/\s+/g, ' ').slice(0, 70);
  return `${fileName}:${start.line + 1} ${mutatorName}: ${short(lines.join(' ').slice(start.column))} → ${short(replacement)}`;
}

const endMs = performance.now() + Number(values.minutes) * 60_000;
const sources = sourcesOf(positionals);
if (sources.length === 0) throw new Error('Name a file or a folder: npm run test:mutation -- src/domain');
const copy = copyOfCheckout();
const removeCopy = () => rmSync(copy, { recursive: true, force: true });
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    for (const child of running) endGroup(child);
    removeCopy();
    process.exit(1);
  });
}
try {
  const { files, mutants } = await plantMutants(
    sources.map((name) => ({ name, content: readFileSync(join(ROOT, name), 'utf8') })),
  );
  mkdirSync(copy, { recursive: true });
  for (const { name, content } of files) writeFileSync(join(copy, name), content);
  const able = values.tests ?? sources.flatMap((file) => testsOf(ROOT, file));
  const tests = await measure(copy, [...new Set(able)]);
  say(`${mutants.length} mutants in ${sources.length} files, ${tests.length} test files`);
  const verdicts = new Map<Mutant, Verdict>();
  await inJobs(shuffled(mutants, Number(values.seed)), async (mutant) => {
    if (performance.now() > endMs) return;
    const verdict = await judge(copy, tests, mutant);
    verdicts.set(mutant, verdict);
    if (verdict !== 'killed') say(`${verdict}: ${describe(mutant)}`);
  });
  const count = (verdict: Verdict, name?: string): number =>
    [...verdicts].filter(([{ fileName }, is]) => is === verdict && (name === undefined || fileName === name)).length;
  for (const name of [...sources, undefined]) {
    const [killed, survived, missed] = [count('killed', name), count('survived', name), count('not reached', name)];
    const all = killed + survived + missed;
    if (all === 0) continue;
    const share = ((100 * killed) / all).toFixed(0);
    say(`${name ?? 'all'}: ${share}% of ${all} tried found (${survived} survived, ${missed} not reached)`);
  }
  if (verdicts.size < mutants.length) say(`${mutants.length - verdicts.size} were not tried: the time was over`);
} finally {
  removeCopy();
}
