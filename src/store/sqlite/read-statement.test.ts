import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { AppError } from '../../errors.ts';
import { openReaderConnection } from './connection.ts';
import { PreparedStatements } from './prepared-statements.ts';
import { ReadStatement } from './read-statement.ts';

const PAGE_BYTES = 4096;

test('a file that cannot be read is an unavailable store, a wrong statement is not', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kindred-read-'));
  const file = join(folder, 'some.sqlite');
  const written = new DatabaseSync(file);
  written.exec("CREATE TABLE thing (id TEXT); INSERT INTO thing VALUES ('a')");
  written.close();
  // The first page holds the schema, the second one the row.
  writeFileSync(file, readFileSync(file).fill(0xff, PAGE_BYTES));
  const db = openReaderConnection(file);
  const reading = (sql: string) => new ReadStatement(new PreparedStatements(db), sql);

  const isUnavailable = (error: unknown) => error instanceof AppError && error.code === 'STORE_UNAVAILABLE';
  assert.throws(() => reading('SELECT id FROM thing').get(), isUnavailable);
  assert.throws(() => reading('SELECT id FROM thing').all(), isUnavailable);
  assert.throws(() => reading('SELECT id FROM nothing').all(), { code: 'ERR_SQLITE_ERROR' });
  db.close();
  rmSync(folder, { recursive: true });
});
