import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openReaderConnection, openWriterConnection } from './connection.ts';
import { logLimit } from './log-limit.ts';

const folder = mkdtempSync(join(tmpdir(), 'kindred-log-'));
after(() => rmSync(folder, { recursive: true }));

test('a log beyond its limit is taken over, and a long read only puts it off', () => {
  const file = join(folder, 'test.sqlite');
  const db = openWriterConnection(file);
  db.exec('CREATE TABLE t (x BLOB)');
  const insert = db.prepare('INSERT INTO t VALUES (zeroblob(20000))');
  const logBytes = () => statSync(`${file}-wal`).size;
  const limit = logLimit(db, file, 100_000);

  insert.run();
  const small = logBytes();
  limit();
  assert.equal(logBytes(), small, 'a short log is left alone');
  for (let n = 0; n < 10; n++) insert.run();
  assert.ok(logBytes() > 100_000);
  limit();
  assert.equal(logBytes(), 0);

  const reader = openReaderConnection(file);
  for (let n = 0; n < 10; n++) insert.run();
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM t').get();
  insert.run();
  const held = logBytes();
  limit();
  assert.equal(logBytes(), held, 'what a reader still needs stays');
  reader.exec('COMMIT');
  limit();
  assert.equal(logBytes(), held, 'it is tried again when the log has grown by a quarter');
  for (let n = 0; n < 3; n++) insert.run();
  limit();
  assert.equal(logBytes(), 0);
  assert.equal((db.prepare('SELECT count(*) AS rows FROM t').get() as { rows: number }).rows, 25);
  reader.close();
  db.close();
});
