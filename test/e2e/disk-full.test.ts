// A full disk: a clear error, nothing half-written, reads go on, and all is well when space returns. The data folder is a small
// tmpfs in a mount namespace of the service's own; where namespaces are not allowed, a limit on the size of files stands in.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

const SCENARIO = join(import.meta.dirname, '../support/disk-full-scenario.ts');

function namespaceFlags(): string[] | null {
  for (const flags of userInfo().uid === 0 ? [['-m'], ['-rm']] : [['-rm']]) {
    const tried = spawnSync('unshare', [...flags, 'sh', '-c', 'mount -t tmpfs tmpfs /mnt'], { stdio: 'ignore' });
    if (tried.status === 0) return flags;
  }
  return null;
}

test('a full disk is told clearly, loses nothing, and the service goes on when space returns', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kindred-full-'));
  const flags = namespaceFlags();
  const command = flags === null ? [] : ['unshare', ...flags];
  const [program, ...args] = [...command, process.execPath, SCENARIO, folder, flags === null ? 'limit' : 'tmpfs'];
  try {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    const [code] = await once(child, 'exit');
    assert.equal(code, 0, output);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
