// What src exports is used by src, the console, a client or a script. Code that only tests and benches use is in test/support.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');
const EXPORT = /^export (?:async )?(?:const|let|function\*?|class) (\w+)/gm;

test('every value that src exports is used outside tests and benches', () => {
  const sources = globSync(['src/**/*.ts', 'console/src/**/*.{ts,tsx}', 'clients/*/*.ts', 'scripts/**/*.ts'], {
    cwd: ROOT,
  })
    .filter((file) => !file.includes('.test.') && !file.startsWith('src/kernels/assembly/'))
    .map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }));
  const uses = new Map<string, number>();
  for (const { text } of sources) {
    for (const [word] of text.matchAll(/\w+/g)) uses.set(word, (uses.get(word) ?? 0) + 1);
  }
  const unused = sources
    .filter(({ file }) => file.startsWith('src/'))
    .flatMap(({ file, text }) => [...text.matchAll(EXPORT)].map(([, name]) => ({ file, name })))
    .filter(({ name }) => uses.get(name) === 1)
    .map(({ file, name }) => `${name} of ${file}`);
  assert.deepEqual(unused, []);
});
