import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { hashOfSources, isBuiltFrom, markBuilt } from '../../scripts/built-from.ts';

test('a checkout is built until a file is changed, added, renamed or removed', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'kindred-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  const isBuilt = () => isBuiltFrom(folder, hashOfSources(folder));
  const build = () => markBuilt(folder, hashOfSources(folder));
  mkdirSync(join(folder, 'build'));
  mkdirSync(join(folder, 'console/src'), { recursive: true });
  assert.ok(!isBuilt());
  const changes: (() => void)[] = [
    () => write('package.json', '{}'),
    () => write('console/src/page.tsx', 'one'),
    () => write('console/src/page.tsx', 'two'),
    () => write('console/src/other.css', 'one'),
    () => rmSync(join(folder, 'console/src/other.css')),
    () => rmSync(join(folder, 'build/built-from.sha256')),
  ];
  for (const change of changes) {
    build();
    assert.ok(isBuilt());
    change();
    assert.ok(!isBuilt(), String(change));
  }
  build();
  write('README.md', 'nothing is built from it');
  assert.ok(isBuilt());
});
