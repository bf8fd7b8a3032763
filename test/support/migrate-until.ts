// A child process of interrupted-upgrade.test.ts that opens a store, and so brings its tables up to date:
//   node migrate-until.ts DATA_DIR DATABASE_URL NOW_MS STEP
// It is killed (kill -9) before the given statement, counted from 1; 0: not at all. It prints which one was the first commit. With `full`
// for the step, a SQLite file cannot grow. Its clock does not move, so that everybody who migrates writes the same.
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { openStore } from '../../src/store/open-store.ts';

const [dataDir, databaseUrl, nowMs, step] = process.argv.slice(2);
Date.now = () => Number(nowMs);

let statements = 0;
let commit = 0;
function count(_: unknown, [sql]: unknown[]): void {
  statements++;
  if (sql === 'COMMIT' && commit === 0) commit = statements;
  if (statements === Number(step)) process.kill(process.pid, 'SIGKILL');
}

/** Calls `before` first, each time. */
function precede<T extends object>(target: T, method: keyof T, before: (self: T, args: unknown[]) => void): void {
  const original = target[method] as (...args: unknown[]) => unknown;
  target[method] = function (this: T, ...args: unknown[]) {
    before(this, args);
    return original.apply(this, args);
  } as T[keyof T];
}

precede(DatabaseSync.prototype, 'exec', (db, [sql]) => {
  count(db, [sql]);
  if (step !== 'full' || sql !== 'BEGIN IMMEDIATE') return;
  const { page_count } = db.prepare('PRAGMA page_count').get() as { page_count: number };
  db.prepare(`PRAGMA max_page_count = ${page_count + 3}`).get();
});
precede(DatabaseSync.prototype, 'close', count);
precede(pg.Client.prototype, 'query', count);

const store = await openStore({ dataDir, databaseUrl: databaseUrl || null });
await store.close();
process.stdout.write(String(commit));
