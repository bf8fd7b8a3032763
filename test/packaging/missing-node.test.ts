// npm 12 installs the package `node` without the Node that its install script would bring: the command says what to do.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

const OLD_NODE = `data:text/javascript,${encodeURIComponent(
  'Object.defineProperty(process, "versions", { value: { node: "20.0.0" } })',
)}`;

test('without its own Node, on an older one, the command says how to get it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kindred-node-'));
  try {
    mkdirSync(join(folder, 'node_modules/node'), { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(folder, 'node_modules/node/package.json'), '{"name":"node","version":"26.10.0"}');
    cpSync(new URL('../../bin', import.meta.url), join(folder, 'bin'), { recursive: true });
    const { status, stderr } = spawnSync(process.execPath, ['--import', OLD_NODE, join(folder, 'bin/kindred.js')], {
      encoding: 'utf8',
    });
    assert.equal(status, 1, stderr);
    assert.match(stderr, /needs Node 26.*\n.*npm install --global --allow-scripts=node kindred/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
