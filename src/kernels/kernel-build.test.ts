import assert from 'node:assert/strict';
import { appendFileSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { findKernels, hashOfSources, isCurrent, requireCurrentKernels, SOURCES_HASH_FILE } from './kernel-build.ts';

let folder: string;
let sources: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'kindred-kernels-'));
  sources = join(folder, 'assembly');
  cpSync(join(import.meta.dirname, 'assembly'), sources, { recursive: true });
});
after(() => rmSync(folder, { recursive: true }));

test('kernels are current while their sources are those they were built from', () => {
  requireCurrentKernels();
  assert.ok(isCurrent(findKernels(), sources), 'a copy of the sources is as good');
  writeFileSync(join(sources, 'notes.md'), 'no source');
  assert.ok(isCurrent(findKernels(), sources));
  appendFileSync(join(sources, 'index.ts'), '// changed\n');
  assert.equal(isCurrent(findKernels(), sources), false);
});

test('a build that does not say what it was made from is not trusted next to sources, and needs none without', () => {
  assert.equal(isCurrent(folder, sources), false);
  assert.ok(isCurrent(folder, join(folder, 'no sources')));
  writeFileSync(join(folder, SOURCES_HASH_FILE), String(hashOfSources(sources)));
  assert.ok(isCurrent(folder, sources));
});
