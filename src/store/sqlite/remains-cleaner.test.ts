import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { openWriterConnection } from './connection.ts';
import { remainsCleaner } from './remains-cleaner.ts';

const folder = mkdtempSync(join(tmpdir(), 'kindred-remains-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Rows of a person among others, written so that SQLite keeps copies of some in pages it split, and deleted. */
function withRemains(name: string) {
  const file = join(folder, name);
  const db = openWriterConnection(file);
  db.exec('CREATE TABLE entry (id TEXT PRIMARY KEY, content BLOB) WITHOUT ROWID');
  const insert = db.prepare('INSERT INTO entry VALUES (?, ?)');
  let state = 1;
  const next = (): string => {
    state = (state * 1103515245 + 12345) % 2 ** 31;
    return state.toString(36);
  };
  const content = new Uint8Array(20);
  db.exec('BEGIN');
  for (let n = 0; n < 20_000; n++) insert.run(`${next()}${n}`, content);
  db.exec('COMMIT; BEGIN');
  for (let n = 0; n < 300; n++) insert.run(`${next()}-PERSON-${n}`, content);
  db.exec("COMMIT; DELETE FROM entry WHERE id LIKE '%PERSON%'; PRAGMA wal_checkpoint(TRUNCATE)");
  const remains = () => [file, `${file}-wal`].filter((path) => readFileSync(path).includes('PERSON'));
  assert.deepEqual(remains(), [file], 'there is something to clean');
  return { db, remains };
}

test('what SQLite leaves of deleted rows in pages it split is gone soon after', async () => {
  const { db, remains } = withRemains('soon');
  const cleaner = remainsCleaner(db);
  cleaner.due();
  await eventually(() => remains().length === 0);
  assert.deepEqual(remains(), []);
  assert.deepEqual({ ...db.prepare('SELECT count(*) AS count FROM entry').get() }, { count: 20_000 });
  cleaner.stop();
  db.close();
});

test('a store that is closed before leaves nothing either', () => {
  const { db, remains } = withRemains('closed');
  const cleaner = remainsCleaner(db);
  cleaner.due();
  cleaner.stop();
  assert.deepEqual(remains(), []);
  db.close();
});

test('after a merge the log is cut and the file is not rewritten', async () => {
  const { db, remains } = withRemains('merged');
  const [file] = remains();
  db.exec("UPDATE entry SET content = 'PERSON' WHERE id = (SELECT min(id) FROM entry)");
  assert.deepEqual(remains(), [file, `${file}-wal`]);
  const cleaner = remainsCleaner(db);
  cleaner.logDue();
  await eventually(() => remains().length === 1);
  assert.deepEqual(remains(), [file]);
  cleaner.due();
  cleaner.stop();
  assert.deepEqual(
    remains().filter((path) => readFileSync(path).includes('-PERSON-')),
    [],
  );
  db.close();
});
