// A full disk: a clear error, nothing half-written, reads continue, and all is well when space returns. The disk is a small tmpfs
// in a mount namespace of the service's own; where namespaces are not allowed, files that cannot grow are the same to it.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { freshPostgres } from '../support/postgres.ts';

const SCENARIO = join(import.meta.dirname, '../support/disk-full-scenario.ts');
const FLAGS = namespaceFlags();
const WAY = FLAGS === null ? 'limit' : 'tmpfs';

function namespaceFlags(): string[] | null {
  for (const flags of userInfo().uid === 0 ? [['-m'], ['-rm']] : [['-rm']]) {
    const tried = spawnSync('unshare', [...flags, 'sh', '-c', 'mount -t tmpfs tmpfs /mnt'], { stdio: 'ignore' });
    if (tried.status === 0) return flags;
  }
  return null;
}

async function play(what: 'events' | 'models', databaseUrl: string[] = []): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'kindred-full-'));
  const command = FLAGS === null ? [] : ['unshare', ...FLAGS];
  const [program, ...args] = [...command, process.execPath, SCENARIO, what, WAY, folder, ...databaseUrl];
  try {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    const [code] = await once(child, 'close');
    assert.equal(code, 0, output);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test(`events that find the disk full are refused clearly, none is lost, and everything continues with space (${WAY})`, async () => {
  await play('events');
});

test(`a model that finds the disk full fails its job, nothing is published, and the next one succeeds (${WAY})`, async () => {
  if (WAY === 'tmpfs') return play('models');
  const database = await freshPostgres();
  try {
    await play('models', [database.url]);
  } finally {
    await database.drop();
  }
});
