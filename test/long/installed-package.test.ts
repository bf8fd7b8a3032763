// The package as `npm pack` makes it, installed with `npm install --global` into an empty place: the command runs with whatever Node
// the machine has, the client imports, its types hold. Nothing is written into the checkout: the package is built in a copy, from
// its sources alone.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import type { Sbom } from '../../scripts/make-sbom.ts';
import { cleanCopy } from '../support/clean-copy.ts';

const root = resolve(import.meta.dirname, '../..');
const { dependencies } = (await import('../../package.json', { with: { type: 'json' } })).default;
/** The machine's own: a command found here does not come from the checkout. */
const env = {
  PATH: (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !folder.startsWith(root) && !folder.includes('node_modules'))
    .join(delimiter),
};
/** On a busy machine npm takes most of a minute. */
const INSTALL_MS = 600_000;
let folder = '';
let packed: Packed = { tarball: '', contents: {} };
let shipped: string[] = [];
let project = '';
let installed = '';
let command = '';

interface Packed {
  tarball: string;
  /** path → checksum */
  contents: Record<string, string>;
}

function pack(copy: string, destination: string): Packed {
  cleanCopy(copy);
  const npm = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync('npm', args, { cwd: copy, encoding: 'utf8' });
    assert.equal(status, 0, stdout + stderr);
    return stdout;
  };
  npm('run', 'prepack');
  const parsed = JSON.parse(npm('pack', '--ignore-scripts', '--json', '--pack-destination', destination));
  const { filename, files } = (Array.isArray(parsed) ? parsed : Object.values(parsed))[0];
  const contents = Object.fromEntries(
    files.map(({ path }: { path: string }) => [path, checksumOf(join(copy, path))]).sort(),
  );
  rmSync(copy, { recursive: true });
  return { tarball: join(destination, filename), contents };
}

const checksumOf = (file: string) => createHash('sha512').update(readFileSync(file)).digest('hex');

before(
  () => {
    folder = mkdtempSync(join(tmpdir(), 'kindred-package-'));
    packed = pack(join(folder, 'copy'), folder);
    shipped = Object.keys(packed.contents);
    const prefix = join(folder, 'global');
    const options = ['--prefix', prefix, '--prefer-offline', '--no-audit', '--no-fund', '--loglevel', 'error'];
    const npm = spawnSync('npm', ['install', '--global', ...options, packed.tarball], {
      cwd: folder,
      encoding: 'utf8',
    });
    assert.equal(npm.status, 0, npm.stderr);
    installed = join(prefix, 'lib/node_modules/kindred');
    command = join(prefix, 'bin/kindred');
    project = join(folder, 'project');
    mkdirSync(join(project, 'node_modules'), { recursive: true });
    symlinkSync(installed, join(project, 'node_modules/kindred'));
    writeFileSync(join(project, 'package.json'), '{"type":"module"}');
  },
  { timeout: INSTALL_MS },
);
after(() => rmSync(folder, { recursive: true, force: true }));

const run = (program: string, ...args: string[]) => spawnSync(program, args, { cwd: project, encoding: 'utf8', env });

test('the package holds compiled JavaScript with types, and no sources or tests', () => {
  assert.ok(shipped.includes('build/package/src/main.js'));
  assert.ok(shipped.includes('build/package/src/client/index.d.ts'));
  const sources = shipped.filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'));
  assert.deepEqual(sources, []);
  assert.deepEqual(
    shipped.filter((path) => /\.test\.|^(test|bench|node_modules)\//.test(path)),
    [],
  );
  assert.ok(
    Object.values(dependencies).every((version) => /^\d/.test(version)),
    'versions are exact',
  );
});

test('two builds of the same sources, in different folders, give the same package, byte for byte', () => {
  const again = mkdtempSync(join(tmpdir(), 'kindred-package-'));
  try {
    const { tarball, contents } = pack(join(again, 'at another/place'), again);
    assert.deepEqual(contents, packed.contents);
    assert.equal(checksumOf(tarball), checksumOf(packed.tarball));
  } finally {
    rmSync(again, { recursive: true, force: true });
  }
});

test('the package says what it is made of', () => {
  const { components } = JSON.parse(readFileSync(join(installed, 'build/package/sbom.cdx.json'), 'utf8')) as Sbom;
  const notices = readFileSync(join(installed, 'build/package/THIRD-PARTY-NOTICES.txt'), 'utf8');
  const bundled = components.filter(({ properties }) => properties.some(({ value }) => value === 'bundled'));
  assert.ok(bundled.length > 10);
  for (const { name, version } of bundled) assert.ok(notices.includes(`\n${name} ${version} (`), name);
});

test('every package that the compiled code imports is one of its dependencies', () => {
  const optional = ['@aws-sdk/client-s3', '@aws-sdk/lib-storage', '@platformatic/kafka'];
  const compiled = join(installed, 'build/package');
  const imports = /^(?:import|export)\s[^'";]*?from '([^'.][^']*)'|^import '([^'.][^']*)'|import\('([^'.][^']*)'\)/gm;
  const imported = globSync('**/*.js', { cwd: compiled }).flatMap((file) =>
    [...readFileSync(join(compiled, file), 'utf8').matchAll(imports)].map((match) => match[1] ?? match[2] ?? match[3]),
  );
  const packages = imported.map((name) => /^(@[^/]+\/)?[^/]+/.exec(name)![0]);
  assert.ok(packages.includes('fastify'));
  const missing = new Set(packages.filter((name) => !name.startsWith('node:') && !(name in dependencies)));
  assert.deepEqual([...missing].sort(), optional);
});

test('the installed command runs', () => {
  const { stdout, stderr, status } = run(command, '--help');
  assert.equal(status, 0, stderr);
  for (const command of ['serve', 'import', 'train', 'deploy', 'recommend', 'jobs'])
    assert.match(stdout, new RegExp(`^  ${command}`, 'm'));
});

test('the client is imported by its public name, and its types are found', () => {
  writeFileSync(
    join(project, 'use.ts'),
    `import { Kindred, type Job } from 'kindred/client';
const kindred = new Kindred({ baseUrl: 'http://127.0.0.1:1', apiKey: 'key', clientSecret: 'secret' });
const job: Promise<Job> = kindred.getJob({ project_id: 'p', job_id: 'j' });
job.catch((error) => console.log(error.code));
// @ts-expect-error a project has no such field
kindred.getProject({ projekt_id: 'p' }).catch(() => {});
`,
  );
  const checked = run(
    process.execPath,
    join(root, 'node_modules/typescript/bin/tsc'),
    '--strict',
    '--noEmit',
    '--target',
    'esnext',
    '--module',
    'nodenext',
    '--lib',
    'esnext,dom',
    'use.ts',
  );
  assert.equal(checked.status, 0, checked.stdout);
  const code = `import { Kindred } from 'kindred/client'; console.log(typeof Kindred)`;
  assert.equal(run(process.execPath, '--input-type=module', '-e', code).stdout.trim(), 'function');
});

test('the installed service starts, stores, shows its console and stops', async () => {
  const service = spawn(command, ['serve'], {
    cwd: project,
    env: { ...env, KINDRED_PORT: '0', KINDRED_LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = once(service, 'exit');
  try {
    let said = '';
    // Read on to its end: a service whose pipe is closed while it still greets cannot continue.
    await new Promise<void>((resolve) => {
      service.stderr.on('end', resolve).on('data', (chunk) => {
        said += chunk;
        if (/serves at http/.test(said)) resolve();
      });
    });
    const baseUrl = /serves at (http\S+)/.exec(said)?.[1];
    assert.ok(baseUrl, said);
    for (const path of ['/readyz', '/docs', '/openapi.json', '/console/']) {
      assert.equal((await fetch(baseUrl + path)).status, 200, path);
    }
    const { api_key, client_secret } = JSON.parse(readFileSync(join(project, 'data/credentials.json'), 'utf8'));
    const { Kindred } = await import('../../src/client/index.ts');
    const kindred = new Kindred({ baseUrl, apiKey: api_key, clientSecret: client_secret });
    const { item_dataset_id } = await kindred.createItemDataset({ name: 'items' });
    const { succeed_ids } = await kindred.upsertDatasetItems({ item_dataset_id, items: [{ item_id: 'one' }] });
    assert.deepEqual(succeed_ids, ['one']);
  } finally {
    service.kill('SIGTERM');
    await exited;
  }
  assert.equal(service.exitCode, 0);
});

test('the installed demo shows recommendations', () => {
  const { stdout, stderr, status } = run(command, 'demo', '--size', 'small', '--no-serve');
  assert.equal(status, 0, stderr);
  assert.match(stdout, /→\s+For you/);
});
