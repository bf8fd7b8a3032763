import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { SQLITE_FILE } from '../open-store.ts';
import type { Store } from '../store.ts';
import { openSqlite } from './open-sqlite.ts';
import type { SqliteDatabase } from './sqlite-database.ts';

let dataDir: string;
let store: Store;
/** Stands for another process. */
let other: DatabaseSync;

before(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'kindred-'));
  store = openSqlite(join(dataDir, SQLITE_FILE));
  await store.database.atomic([{ sql: 'CREATE TABLE thing (id TEXT PRIMARY KEY)' }]);
  other = new DatabaseSync(join(dataDir, SQLITE_FILE));
});

after(async () => {
  other.close();
  await store.close();
  rmSync(dataDir, { recursive: true });
});

const ids = async () =>
  (await store.database.all<{ id: string }>('SELECT id FROM thing ORDER BY id')).map(({ id }) => id);

test('reads of one turn see one moment, those of the next the present one', async () => {
  store.database.holdSnapshot!();
  assert.deepEqual(await ids(), []);
  other.exec("INSERT INTO thing VALUES ('a')");
  assert.deepEqual(await ids(), []);
  await nextTurn();
  assert.deepEqual(await ids(), ['a']);
});

test('what is read once a moment is read anew in the next', async () => {
  const database = store.database as SqliteDatabase;
  const count = () => database.onceAMoment('count', () => database.reading('SELECT count(*) AS n FROM thing').get()!.n);
  const before = Number(count());
  store.database.holdSnapshot!();
  assert.equal(count(), before);
  other.exec("INSERT INTO thing VALUES ('of another')");
  assert.equal(count(), before);
  await nextTurn();
  assert.equal(count(), before + 1);
  other.exec("DELETE FROM thing WHERE id = 'of another'");
});

test('what was acknowledged is seen in the same turn', async () => {
  const written = store.database.atomic([{ sql: "INSERT INTO thing VALUES ('b')" }]).then(ids);
  // A snapshot is open whenever the acknowledgement comes.
  let done = false;
  written.finally(() => {
    done = true;
  });
  while (!done) {
    store.database.holdSnapshot!();
    await ids();
    await nextTurn();
  }
  assert.deepEqual(await written, ['a', 'b']);
});

test('a read that fails leaves the next ones in order', async () => {
  store.database.holdSnapshot!();
  await assert.rejects(store.database.all('SELECT nothing FROM thing'));
  assert.deepEqual(await ids(), ['a', 'b']);
  await nextTurn();
  assert.deepEqual(await ids(), ['a', 'b']);
});
