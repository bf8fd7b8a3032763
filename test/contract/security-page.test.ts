// docs/security.md stays true: every threat names its tests, and they exist.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const root = new URL('../../', import.meta.url);
const page = readFileSync(new URL('docs/security.md', root), 'utf8');

test('every threat of the table is numbered in the list of tests, and each test named there exists', () => {
  const table = page.slice(page.indexOf('| threat'), page.indexOf('## Tests'));
  const threats = [...table.matchAll(/^\| (?!threat|-)([^|]+?) +\|/gm)].map(([, threat]) => threat);
  assert.ok(threats.length >= 12, `${threats.length} threats`);
  const list = page.slice(page.indexOf('## Tests'), page.indexOf('## What is up to you'));
  const tests = new Map(
    [...list.matchAll(/^- ([^:]+): (.+(?:\n {2}.+)*)$/gm)].map(([, threat, named]) => [threat, named]),
  );
  assert.deepEqual([...tests.keys()], threats);
  for (const [threat, named] of tests) {
    const references = [...named.matchAll(/_([^_]+)_ \(`([^`]+)`\)/g)];
    assert.ok(references.length > 0, threat);
    for (const [, title, file] of references) {
      const code = readFileSync(new URL(file, root), 'utf8');
      assert.ok(code.includes(title.replaceAll(/\s+/g, ' ')), `${file} has no test "${title}"`);
    }
  }
});
