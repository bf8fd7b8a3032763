// Files stay short enough to read in one sitting. Generated files are exempt.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');
const MAX_LINES = 350;
const GENERATED = ['src/client/calls.ts', 'src/client/operation-types.ts', 'src/client/schema-types.ts'];

test('no file is longer than 350 lines, unless it is generated', () => {
  const files = globSync('{src,console/src,test,bench,scripts,bin}/**/*.{ts,tsx,js,css}', { cwd: ROOT });
  assert.ok(files.length > 500);
  const long = files
    .filter((file) => !GENERATED.includes(file))
    .map((file) => ({ file, lines: readFileSync(join(ROOT, file), 'utf8').split('\n').length - 1 }))
    .filter(({ lines }) => lines > MAX_LINES);
  assert.deepEqual(long, []);
});
