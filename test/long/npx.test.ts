// `npx kindred` in a checkout, as the README tells it to somebody who has never run it: npm links the checkout into a folder of its
// own and builds it first.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';

const ROOT = resolve(import.meta.dirname, '../..');

test('the first npx kindred on a machine runs the command, without asking and without the network', (t) => {
  const cache = mkdtempSync(join(tmpdir(), 'kindred-'));
  t.after(() => rmSync(cache, { recursive: true }));
  // What the npm that runs this test passes on is not set in a terminal.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')));
  const { status, stdout, stderr } = spawnSync('npx', ['--offline', 'kindred', '--version'], {
    cwd: ROOT,
    encoding: 'utf8',
    env: { ...env, npm_config_cache: cache },
  });
  assert.equal(status, 0, stderr);
  assert.equal(stdout.trim(), JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version);
});
