import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { closeToOthers } from './private-files.ts';

const FILES = ['kindred.sqlite', 'kindred.sqlite-wal', 'serve.lock', 'credentials.json', 'credentials.json.5f21a0c4'];

test('a folder with nothing but files of the service is closed with all of them', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kindred-private-'));
  const paths = [folder];
  try {
    for (const name of [...FILES, 'demo-shop.json']) {
      paths.push(join(folder, name));
      writeFileSync(join(folder, name), '');
    }
    for (const name of ['artifacts', 'served']) {
      paths.push(join(folder, name));
      mkdirSync(join(folder, name));
    }
    paths.push(join(folder, 'served', 'node_1.lists'));
    writeFileSync(join(folder, 'served', 'node_1.lists'), '');
    for (const path of paths) chmodSync(path, 0o755);
    const { closed, open } = await closeToOthers(folder);
    assert.deepEqual(open, []);
    assert.deepEqual(closed.sort(), paths.sort());
  } finally {
    rmSync(folder, { recursive: true });
  }
});
