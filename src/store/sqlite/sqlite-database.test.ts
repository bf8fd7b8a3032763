import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ConstraintViolation, type Database } from '../database.ts';
import { openStore, SQLITE_FILE } from '../open-store.ts';
import type { Store } from '../store.ts';

let dataDir: string;
let store: Store;
let database: Database;

before(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'kindred-'));
  store = await openStore({ dataDir });
  ({ database } = store);
  await database.atomic([{ sql: 'CREATE TABLE thing (id TEXT PRIMARY KEY, n BIGINT)' }]);
});

after(async () => {
  await store.close();
  rmSync(dataDir, { recursive: true });
});

test('what atomic wrote is read by all, and RETURNING gives its rows', async () => {
  const response = await database.atomic([
    { sql: 'INSERT INTO thing (id, n) VALUES (?, ?)', params: ['a', 1] },
    { sql: 'UPDATE thing SET n = n + 1 WHERE id = ? RETURNING n', params: ['a'] },
  ]);
  assert.deepEqual(response, [[], [{ n: 2 }]]);
  assert.deepEqual(await database.all('SELECT id, n FROM thing'), [{ id: 'a', n: 2 }]);
});

test('a failing atomic changes nothing and harms none of those committed with it', async () => {
  const settled = await Promise.allSettled([
    database.atomic([{ sql: "INSERT INTO thing VALUES ('b', 1)" }]),
    database.atomic([{ sql: "INSERT INTO thing VALUES ('c', 1)" }, { sql: "INSERT INTO thing VALUES ('a', 1)" }]),
    database.atomic([{ sql: "INSERT INTO thing VALUES ('d', 1)" }]),
  ]);
  assert.deepEqual(
    settled.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  assert.ok((settled[1] as PromiseRejectedResult).reason instanceof ConstraintViolation);
  const rows = await database.all<{ id: string }>('SELECT id FROM thing ORDER BY id');
  assert.deepEqual(
    rows.map(({ id }) => id),
    ['a', 'b', 'd'],
  );
});

test('a closed store is one file: the log has been taken over into it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kindred-'));
  const closed = await openStore({ dataDir: folder });
  await closed.database.atomic([{ sql: 'CREATE TABLE thing (id TEXT PRIMARY KEY)' }]);
  await closed.close();
  assert.deepEqual(readdirSync(folder), [SQLITE_FILE]);
  await assert.rejects(closed.database.atomic([{ sql: "INSERT INTO thing VALUES ('late')" }]), /closed/);
  rmSync(folder, { recursive: true });
});
