// `npm run bench`: runs every benchmark, one after the other, and writes docs/benchmarks.md from the rows they report.
// `npm run bench -- --quick` uses small sizes, leaves out what needs the public splits, and is done in about two minutes;
// `npm run bench -- ingest serve` runs only those, and hands them what begins with a dash (`--only=sqlite`). With `--only` the rows
// that were not measured again stay as they are on the page.
// Each benchmark renews its own section of the page when it ends, so that a long run that breaks off loses nothing; a quick
// run leaves the page alone.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, release, tmpdir, totalmem, type } from 'node:os';
import { join } from 'node:path';
import type { BenchRow } from './report.ts';

const BENCHMARKS = [
  { name: 'ingest', about: 'Taking in events over HTTP' },
  { name: 'scan', about: 'Reading events back for training' },
  { name: 'kernels', about: 'WebAssembly kernels' },
  { name: 'train', about: 'Training' },
  { name: 'quality', about: 'Quality on public splits and shops, with `{}` as parameters' },
  { name: 'quality-api', about: 'A public split through the real API' },
  { name: 'carry-over', about: 'Further splits, compared with classic methods' },
  { name: 'peer-implicit', about: 'Compared with implicit' },
  { name: 'scale', about: 'Growth with the number of events' },
  { name: 'model', about: 'Scoring, filters and model files' },
  { name: 'ranker', about: 'What the ranker costs per call' },
  { name: 'filters', about: 'Filters over a million items' },
  { name: 'serve', about: 'The recommendation call' },
  { name: 'placements', about: 'Placements, items to items and visitors' },
  { name: 'outcomes', about: 'Counting the results of lists' },
  { name: 'drift', about: 'Automation while tastes drift' },
  { name: 'insight', about: 'Querying and clustering' },
  { name: 'recommend-all', about: 'Recommendation jobs' },
  { name: 'share-jobs', about: 'Jobs that two workers share' },
  { name: 'import', about: 'Importing files' },
  // Needs Java and Python: run when it is named.
  { name: 'spark', about: 'Counting on Spark', onlyByName: true },
  // Installs everything again: run when it is named.
  { name: 'first-run', about: "A new user's first run", onlyByName: true },
  { name: 'personas', about: 'From a fresh clone to a first result, by persona', onlyByName: true },
] as const;

const PAGE = 'docs/benchmarks.md';
const HEAD = `# Benchmarks

Written by \`npm run bench\`; do not edit. A ratio compares with a base measured in the same run, because machines are noisy;
the figures next to it are of that run. Benchmarks that need what is not part of the project say so and are left out: public
splits (\`KINDRED_BENCH_DATA\`: the gowalla and yelp2018 splits of the LightGCN paper from its repository, MovieLens-1M and Amazon
Beauty in the order of time with the last item of each user held out, and the event logs of three shops and a grocer) and a Python with
\`implicit\` (\`KINDRED_BENCH_PYTHON\`). \`KINDRED_BENCH_CACHE\` keeps what peers reached, and made events.
`;
const names = process.argv.slice(2).filter((word) => !word.startsWith('-'));
const isQuick = process.argv.includes('--quick');
const isPart = process.argv.some((word) => word.startsWith('--only='));
const flags = process.argv.slice(2).filter((word) => word.startsWith('-'));
if (flags.includes('--help') || flags.includes('-h')) {
  const list = BENCHMARKS.map(
    (one) => `  ${one.name.padEnd(14)} ${one.about}${'onlyByName' in one ? ' (only by name)' : ''}`,
  );
  process.stdout.write(`npm run bench -- [NAME…] [--quick] [--only=…]

Runs the benchmarks named, or all of them (hours), and renews their sections of ${PAGE}. --quick takes about two
minutes and leaves the page alone. Other options go to the benchmarks; the head of bench/NAME.ts tells which it has.

${list.join('\n')}
`);
  process.exit(0);
}
const chosen = BENCHMARKS.filter((one) => (names.length === 0 ? !('onlyByName' in one) : names.includes(one.name)));
const unknown = names.filter((name) => !BENCHMARKS.some((benchmark) => benchmark.name === name));
if (unknown.length > 0) {
  process.stderr.write(
    `No benchmark ${unknown.join(', ')}. There are: ${BENCHMARKS.map(({ name }) => name).join(', ')}.\n`,
  );
  process.exit(2);
}

const TABLE_HEAD = ['| what | ratio | base | figures | bar |', '|---|---|---|---|---|'];
const folder = mkdtempSync(join(tmpdir(), 'kindred-bench-'));
const broken: string[] = [];
for (const { name, about } of chosen) {
  const rowsFile = join(folder, `${name}.jsonl`);
  process.stdout.write(`\n── ${name}: ${about}\n`);
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, `${name}.ts`), ...flags], {
    stdio: 'inherit',
    env: { ...process.env, KINDRED_BENCH_ROWS: rowsFile, ...(isQuick && { KINDRED_BENCH_QUICK: '1' }) },
  });
  if (status !== 0) broken.push(name);
  const rows: BenchRow[] = existsSync(rowsFile)
    ? readFileSync(rowsFile, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    : [];
  if (status === 0 && rows.length > 0 && !isQuick) renewSection(name, about, rows);
}
rmSync(folder, { recursive: true });
if (broken.length > 0) process.stderr.write(`\nThese benchmarks failed: ${broken.join(', ')}\n`);
process.exitCode = broken.length > 0 ? 1 : 0;

function linesOf(rows: readonly BenchRow[]): string[] {
  const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
  return rows.map(({ what, ratio, base, figures, bar, met }) => {
    const verdict = bar === undefined ? '' : `${bar}${met === undefined ? '' : met ? ' ✓' : ' ✗'}`;
    return `| ${cell(what)} | ${ratio === null ? '' : `${ratio.toFixed(2)} ×`} | ${cell(base)} | ${cell(figures)} | ${cell(verdict)} |`;
  });
}

/** The lines of a section's table that say something else than the new ones. */
function linesLeft(section: string, lines: readonly string[]): string[] {
  const what = (line: string) => line.split(' | ')[0];
  const renewed = new Set(lines.map(what));
  return section
    .split('\n')
    .filter((line) => line.startsWith('| ') && !TABLE_HEAD.includes(line) && !renewed.has(what(line)));
}

/** The page with this section in the place of the one it had, in the order of BENCHMARKS. */
function renewSection(name: string, about: string, rows: readonly BenchRow[]): void {
  const sections = new Map<string, string>();
  if (existsSync(PAGE)) {
    for (const part of readFileSync(PAGE, 'utf8')
      .split(/^(?=## )/m)
      .slice(1)) {
      sections.set(part.slice(3, part.indexOf('\n')), part.trimEnd());
    }
  }
  const lines = linesOf(rows);
  const left = isPart ? linesLeft(sections.get(about) ?? '', lines) : [];
  const run = `\`npm run bench -- ${[name, ...flags].join(' ')}\`, ${circumstances()}`;
  const table = [...TABLE_HEAD, ...lines, ...left].join('\n');
  sections.set(about, `## ${about}\n\n${run}${left.length > 0 ? '; last rows: earlier runs' : ''}\n\n${table}`);
  const known = BENCHMARKS.flatMap((benchmark) => sections.get(benchmark.about) ?? []);
  writeFileSync(PAGE, `${HEAD}\n${known.join('\n\n')}\n`);
  process.stdout.write(`renewed "${about}" in ${PAGE}\n`);
}

function circumstances(): string {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  const commit = spawnSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).stdout?.trim() || 'unknown';
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${type()} ${release()}`;
  const today = new Date().toLocaleDateString('en-US', { dateStyle: 'medium', timeZone: 'UTC' });
  return `${today}, Kindred ${version} (${commit}), Node ${process.version}, ${machine}`;
}
