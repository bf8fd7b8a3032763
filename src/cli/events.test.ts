import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

const MAIN = join(import.meta.dirname, '../main.ts');

test('an address of a server that is no URL is refused with the way to write it', () => {
  const args = ['events', 'move-shards', '5-', '--to', 'postgres://ann:pass#word/@db2/events'];
  const env = { PATH: process.env.PATH, KINDRED_DATABASE_URL: 'postgres://127.0.0.1:1/events' };
  const { status, stderr } = spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8', env });
  assert.equal(status, 2);
  assert.match(stderr, /^kindred: .*such as %23 for #\n$/);
});
