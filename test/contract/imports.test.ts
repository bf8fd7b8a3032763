// Who may import whom: the layers of ARCHITECTURE.md, held by reading every import of src/ and of the console.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '../../src');
const CONSOLE = '../console/src';

/** What each folder (or file at the root) may import besides itself. */
const ALLOWED: Record<string, string[]> = {
  'errors.ts': [],
  'version.ts': [],
  base: [],
  config: ['base', 'domain'],
  domain: ['base', 'errors.ts'],
  observability: ['base', 'domain', 'errors.ts'],
  kernels: ['base', 'domain', 'errors.ts'],
  store: ['base', 'domain', 'errors.ts'],
  artifact: ['base', 'domain', 'errors.ts'],
  history: ['base', 'domain', 'errors.ts', 'artifact'],
  dataset: ['base', 'domain', 'errors.ts', 'kernels', 'store', 'history'],
  catalog: ['base', 'domain', 'errors.ts', 'store'],
  aggregation: ['base', 'domain', 'errors.ts', 'kernels', 'store', 'dataset'],
  experts: ['base', 'domain', 'errors.ts', 'kernels', 'artifact', 'dataset', 'aggregation'],
  'cold-start': ['base', 'domain', 'errors.ts', 'artifact', 'catalog'],
  scoring: [
    'base',
    'domain',
    'errors.ts',
    'kernels',
    'artifact',
    'history',
    'catalog',
    'experts',
    'cold-start',
    'relations',
  ],
  placements: ['base', 'domain', 'errors.ts', 'history', 'catalog', 'scoring'],
  outcomes: ['base', 'domain', 'errors.ts', 'store'],
  kafka: ['base', 'domain', 'errors.ts', 'config', 'store', 'observability', 'outcomes'],
  cluster: ['base', 'domain', 'errors.ts', 'store'],
  automation: ['base', 'domain', 'errors.ts', 'version.ts', 'store', 'observability', 'outcomes'],
  relations: ['base', 'domain', 'errors.ts', 'kernels', 'artifact', 'history', 'dataset'],
  training: [
    'relations',
    'base',
    'domain',
    'errors.ts',
    'kernels',
    'artifact',
    'history',
    'dataset',
    'aggregation',
    'experts',
    'cold-start',
    'scoring',
    'store',
    'import',
  ],
  results: ['base', 'domain', 'errors.ts', 'store'],
  pieces: ['base', 'domain', 'store', 'results'],
  insight: [
    'results',
    'pieces',
    'base',
    'domain',
    'errors.ts',
    'kernels',
    'artifact',
    'history',
    'catalog',
    'cold-start',
    'scoring',
    'store',
  ],
  serving: [
    'base',
    'domain',
    'errors.ts',
    'artifact',
    'history',
    'catalog',
    'scoring',
    'placements',
    'outcomes',
    'store',
    'observability',
    'cluster',
  ],
  jobs: [
    'base',
    'domain',
    'errors.ts',
    'history',
    'aggregation',
    'artifact',
    'scoring',
    'store',
    'observability',
    'cluster',
    'training',
    'insight',
    'results',
    'pieces',
    'serving',
    'outcomes',
    'import',
  ],
  http: [
    'base',
    'domain',
    'errors.ts',
    'store',
    'observability',
    'cluster',
    'results',
    'placements',
    'outcomes',
    'serving',
    'automation',
  ],
  'accounts.ts': ['base', 'domain', 'store'],
  'start-checks.ts': ['config', 'store'],
  'service.ts': ['base', 'domain', 'observability'],
  'start-service.ts': [
    'service.ts',
    'compose.ts',
    'config',
    'jobs',
    'kafka',
    'kernels',
    'store',
    'observability',
    'version.ts',
  ],
  client: [],
  import: ['client', 'base', 'domain'],
  sample: ['base', 'domain'],
  // The command line and the console use the public API like anybody else.
  cli: ['client', 'import', 'sample', 'base', 'domain', 'errors.ts', 'config'],
  [CONSOLE]: ['client', 'import', 'sample', 'base', 'domain', 'errors.ts'],
};

/** Commands that work on the store itself, start the service, or train without one. */
const EXCEPTIONS: Record<string, string[]> = {
  'cli/serve.ts': ['start-service.ts', 'start-checks.ts', 'observability', 'store'],
  'cli/demo.ts': ['store'],
  'cli/demo-service.ts': ['service.ts', 'start-service.ts', 'start-checks.ts', 'observability'],
  'cli/store-command.ts': ['store'],
  'cli/account.ts': ['accounts.ts'],
  'cli/account-context.ts': ['store'],
  'cli/backup.ts': ['store'],
  'cli/migrate.ts': ['store'],
  'cli/events.ts': ['store'],
  'jobs/job-thread.ts': ['version.ts'],
  'cli/evaluate.ts': ['training'],
  'cli/mcp/serve-tools.ts': ['version.ts'],
};

/** Packages that only one folder may know. */
const PACKAGES: [RegExp, RegExp][] = [
  [/^lru-cache$/, /^base\/bounded-cache\.ts/],
  [/^(fastify|@fastify\/.+|jose|openid-client|ajv.*)$/, /^http\//],
  [/^(pg|pg-.+|node:sqlite)$/, /^store\//],
  [/^(pino|prom-client|@opentelemetry\/.+)$/, /^observability\//],
  [/^@platformatic\/kafka$/, /^kafka\//],
  [/^commander$/, /^(cli\/|main\.ts)/],
  [/^@modelcontextprotocol\/.+$/, /^cli\/mcp\/serve-tools\.ts$/],
];

interface Import {
  from: string;
  /** Relative to src, or a package's name. */
  to: string;
  isLocal: boolean;
}

function readSources(): { file: string; text: string }[] {
  return globSync(['**/*.ts', `${CONSOLE}/**/*.{ts,tsx}`], { cwd: ROOT })
    .filter((file) => !file.endsWith('.test.ts') && !file.startsWith('kernels/assembly/'))
    .map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }));
}

function readImports(): Import[] {
  return readSources().flatMap(({ file: from, text }) =>
    [...text.matchAll(/^(?:import|export)\s[^'";]*?from '([^']+)'|^import '([^']+)'|import\('([^']+)'\)/gm)].map(
      (match) => {
        const target = match[1] ?? match[2] ?? match[3];
        const isLocal = target.startsWith('.');
        return { from, isLocal, to: isLocal ? relative(ROOT, normalize(join(ROOT, dirname(from), target))) : target };
      },
    ),
  );
}

/** The steps that lead into a circle and come out of one: what is left when nothing starts or ends anywhere. */
function inCircles(steps: readonly { from: string; to: string }[]): string[] {
  const starts = new Set(steps.map(({ from }) => from));
  const ends = new Set(steps.map(({ to }) => to));
  const left = steps.filter(({ from, to }) => ends.has(from) && starts.has(to));
  if (left.length < steps.length) return inCircles(left);
  return [...new Set(left.map(({ from, to }) => `${from} imports ${to}`))];
}

const partOf = (file: string): string => (file.startsWith(`${CONSOLE}/`) ? CONSOLE : file.split('/')[0]);
const mayImport = (from: string, to: string): boolean =>
  (ALLOWED[partOf(from)] ?? [partOf(to)]).includes(partOf(to)) || (EXCEPTIONS[from] ?? []).includes(partOf(to));

test('each part imports only the parts below it', () => {
  const wrong = readImports()
    .filter(({ isLocal, from, to }) => isLocal && partOf(from) !== partOf(to))
    .filter(({ from, to }) => !mayImport(from, to))
    .map(({ from, to }) => `src/${from} imports src/${to}`);
  assert.deepEqual(wrong, []);
});

test('outside the store only its interfaces are known, except where a process or thread opens it', () => {
  const wrong = readImports()
    .filter(({ isLocal, from, to }) => isLocal && partOf(to) === 'store' && partOf(from) !== 'store')
    .filter(({ from, to }) => !/^(compose|start-service)\.ts$|-thread\.ts$/.test(from) && to.split('/').length > 2)
    .map(({ from, to }) => `src/${from} imports src/${to}`);
  assert.deepEqual(wrong, []);
});

test('SQL is in the rooms of the store alone', () => {
  const wrong = readSources().filter(
    ({ file, text }) =>
      !/^store\/.+\//.test(file) &&
      /\b(SELECT\s.+\sFROM|INSERT INTO|DELETE FROM|UPDATE \w+ SET)\s|store\.database\b/.test(text),
  );
  assert.deepEqual(
    wrong.map(({ file }) => file),
    [],
  );
});

test('no file imports itself, over any number of others, types included', () => {
  assert.deepEqual(inCircles(readImports().filter(({ isLocal }) => isLocal)), []);
});

/** A folder of a part, or a file beside its folders. */
const roomOf = (file: string): string => file.split('/').slice(0, 2).join('/');

test('the rooms of a part import each other in one direction', () => {
  const steps = readImports()
    .filter(({ isLocal, from, to }) => isLocal && partOf(from) === partOf(to))
    .map(({ from, to }) => ({ from: roomOf(from), to: roomOf(to) }))
    .filter(({ from, to }) => from !== to);
  assert.deepEqual(inCircles(steps), []);
});

test('every part of src has its place in the order', () => {
  const parts = new Set(
    globSync('**/*.ts', { cwd: ROOT })
      .filter((file) => !file.endsWith('.test.ts'))
      .map(partOf),
  );
  const free = ['main.ts', 'compose.ts'];
  assert.deepEqual(
    [...parts].filter((part) => !(part in ALLOWED) && !free.includes(part)),
    [],
  );
});

/** Any part may come to need these. */
const COMMON = ['base', 'domain', 'errors.ts'];

test('a permission is one that is needed', () => {
  const imports = readImports().filter(({ isLocal }) => isLocal);
  const used = new Set(imports.flatMap(({ from, to }) => [`${from} ${partOf(to)}`, `${partOf(from)} ${partOf(to)}`]));
  const given = Object.entries(ALLOWED).concat(Object.entries(EXCEPTIONS));
  const idle = given
    .flatMap(([from, parts]) => parts.filter((part) => !COMMON.includes(part)).map((part) => `${from} ${part}`))
    .filter((permission) => !used.has(permission));
  assert.deepEqual(idle, []);
});

/** Packages of src that run in browsers as they do in Node. */
const BROWSER_PACKAGES = ['hyparquet'];

test('what the console takes from src runs in a browser', () => {
  const imports = readImports();
  const reached = new Set(imports.map(({ from }) => from).filter((file) => partOf(file) === CONSOLE));
  for (const file of reached) {
    for (const { to } of imports.filter(({ from, isLocal }) => from === file && isLocal)) reached.add(to);
  }
  const wrong = imports
    .filter(({ from, isLocal }) => !isLocal && partOf(from) !== CONSOLE && reached.has(from))
    .filter(({ to }) => !BROWSER_PACKAGES.includes(to))
    .map(({ from, to }) => `src/${from} imports ${to}`);
  assert.deepEqual(wrong, []);
  assert.ok(reached.has('client/index.ts') && reached.has('import/run-import.ts'));
});

test('database drivers, the web framework and other packages are known in one place each', () => {
  const wrong = readImports()
    .filter(({ isLocal }) => !isLocal)
    .filter(({ from, to }) => PACKAGES.some(([name, place]) => name.test(to) && !place.test(from)))
    .map(({ from, to }) => `src/${from} imports ${to}`);
  assert.deepEqual(wrong, []);
});
