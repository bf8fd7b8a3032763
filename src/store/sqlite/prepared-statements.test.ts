import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { PreparedStatements } from './prepared-statements.ts';

test('a limit that is bound gives other values no new plan', () => {
  const db = new DatabaseSync(':memory:');
  db.exec('CREATE TABLE thing (n INTEGER PRIMARY KEY); INSERT INTO thing VALUES (1), (2), (3)');
  const statement = new PreparedStatements(db).of('SELECT n FROM thing WHERE n > ? ORDER BY n LIMIT ?');
  let plans = 0;
  // SQLite calls it when it makes a plan.
  db.setAuthorizer(() => {
    plans++;
    return 0;
  });
  const read = (from: number, limit: number) => statement.all(from, limit).map(({ n }) => n);
  assert.deepEqual(read(0, 1), [1]);
  plans = 0;
  for (const limit of [2, 3, 1, 2]) assert.equal(read(0, limit).length, limit);
  assert.deepEqual(read(1, 5), [2, 3]);
  assert.equal(plans, 0);
  db.close();
});
