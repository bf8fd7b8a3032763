// The npm scripts that the docs, the benches and the tests name are there, and benchmarks have one way to be run.
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> };

test('every npm script that a text names exists', () => {
  const files = globSync(['*.md', 'docs/**/*.md', 'bench/**/*.ts', 'scripts/*.ts', 'test/**/*.ts'], { cwd: ROOT });
  const named = files
    .filter((file) => file !== 'CHANGELOG.md')
    .flatMap((file) =>
      [...readFileSync(join(ROOT, file), 'utf8').matchAll(/npm run ([a-z][a-z0-9:-]*)/g)].map(([, script]) => ({
        file,
        script,
      })),
    );
  assert.ok(named.length > 10);
  assert.deepEqual(
    named.filter(({ script }) => !(script in scripts)),
    [],
  );
});

test('every benchmark that a text names is one that npm run bench knows', () => {
  const known = new Set(
    [...readFileSync(join(ROOT, 'bench/run.ts'), 'utf8').matchAll(/\{ name: '([a-z-]+)'/g)].map(([, name]) => name),
  );
  assert.deepEqual(
    [...known].filter((name) => !existsSync(join(ROOT, `bench/${name}.ts`))),
    [],
  );
  const files = globSync(['*.md', 'docs/**/*.md', 'bench/*.ts'], { cwd: ROOT }).filter(
    (file) => file !== 'CHANGELOG.md',
  );
  const named = files.flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(/npm run bench -- ([a-z-]+)/g)].map(([, name]) => ({
      file,
      name,
    })),
  );
  assert.ok(named.length > 5);
  assert.deepEqual(
    named.filter(({ name }) => !name.startsWith('-') && !known.has(name)),
    [],
  );
});

test('the files that the runner names exist', () => {
  const text = readFileSync(join(ROOT, 'scripts/test.ts'), 'utf8');
  const slow = [...text.matchAll(/^ {2}'(.+\.test\.ts)',$/gm)].map(([, file]) => file);
  assert.ok(slow.length > 5);
  assert.deepEqual(
    slow.filter((file) => !existsSync(join(ROOT, file))),
    [],
  );
});

test('no module that test files share has a hook at its top, but those whose tests have a process each', () => {
  const groups = readFileSync(join(ROOT, 'scripts/test-groups.ts'), 'utf8').replaceAll('\\', '');
  const shared = globSync('{src,console,test}/**/*.ts', { cwd: ROOT }).filter((file) => !file.endsWith('.test.ts'));
  const hooked = shared.filter((file) => /^(before|after)(Each)?\(/m.test(readFileSync(join(ROOT, file), 'utf8')));
  assert.deepEqual(
    hooked.filter((file) => !groups.includes(file.replace('test/support/', '').replace('.ts', ''))),
    [],
  );
});
