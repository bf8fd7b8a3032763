import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { freePort } from '../../test/support/free-port.ts';
import { startDemoService } from './demo-service.ts';
import { EXIT } from './exit-codes.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kindred-demo-test-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('the demo uses a free port if the port that is set is in use, and says so', async () => {
  const port = await freePort();
  const other = createServer().listen(port, '127.0.0.1');
  await once(other, 'listening');
  const said: string[] = [];
  const speaker = { say: (text: string) => void said.push(text) };
  try {
    const service = await startDemoService(folder, { port: String(port), speaker });
    const { status } = await fetch(`${service.baseUrl}/healthz`);
    await service.stop();
    assert.equal(status, 200);
    assert.notEqual(new URL(service.baseUrl).port, String(port));
    assert.deepEqual(said, [`Port ${port} (KINDRED_PORT) cannot be used, so the demo uses a free port.`]);
  } finally {
    other.close();
  }
});

test('a demo that cannot start says why in a line and leaves no folder', () => {
  const entry = join(import.meta.dirname, '../main.ts');
  const env = { PATH: process.env.PATH, TMPDIR: folder, KINDRED_PORT: 'http' };
  const { status, stderr } = spawnSync(process.execPath, [entry, 'demo', '--no-serve'], { env, encoding: 'utf8' });
  assert.equal(stderr, 'kindred: KINDRED_PORT is "http" but must be a whole number from 0 to 65535.\n');
  assert.equal(status, EXIT.USAGE);
  assert.deepEqual(readdirSync(folder), []);
});
