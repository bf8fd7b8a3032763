// ARCHITECTURE.md stays true: every file it names exists, and has the function its row names.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const root = new URL('../../', import.meta.url);
const page = readFileSync(new URL('ARCHITECTURE.md', root), 'utf8');

test('each step of the four paths leads to its file and function', () => {
  const steps = [...page.matchAll(/^\|[^|]+\| *`(src\/[^`]+)` *\| *`(\w+)` *\|(?:[^|]+\|)?$/gm)];
  assert.ok(steps.length >= 25, `${steps.length} steps`);
  const wrong = steps.filter(([, file, name]) => {
    const path = new URL(file, root);
    return !existsSync(path) || !new RegExp(`\\b${name}\\b`).test(readFileSync(path, 'utf8'));
  });
  assert.deepEqual(
    wrong.map(([, file, name]) => `${file} ${name}`),
    [],
  );
});

test('every file it mentions exists', () => {
  const files = [...page.matchAll(/`((?:src|test|docs)\/[\w./-]*)`/g)].map((match) => match[1]);
  assert.deepEqual(
    files.filter((file) => !existsSync(new URL(file, root))),
    [],
  );
});
