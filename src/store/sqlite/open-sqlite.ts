// Opens the store in one SQLite file.

import type { Runtime } from '../../base/runtime.ts';
import { MERGE_CHUNK, mergeInSteps } from '../merge-users.ts';
import { MIGRATIONS } from '../migrations/index.ts';
import { OneAtATime } from '../one-at-a-time.ts';
import { PURGE_CHUNK, purgeAfterDelete } from '../sql/purge-after-delete.ts';
import { createSqlStores } from '../sql/sql-stores.ts';
import type { Store } from '../store.ts';
import { migrateSqlite } from './migrate.ts';
import { SqliteReader } from './reader.ts';
import { ScanThreads } from './scan-threads.ts';
import { SqliteDatabase } from './sqlite-database.ts';
import { openingFile } from './sqlite-error.ts';
import { SqliteEventStore } from './sqlite-event-store.ts';
import { SqliteOutcomeStore } from './sqlite-outcome-store.ts';
import { SqliteRecordStore } from './sqlite-record-store.ts';
import { SqliteStreamStore } from './sqlite-stream-store.ts';
import { targetOf } from './write-protocol.ts';
import { SqliteWriter } from './writer.ts';

/** Further threads would wait for the thread that receives the blocks. */
const SCAN_THREADS = 2;

export function openSqlite(file: string, runtime: Runtime): Store {
  openingFile(file, () => migrateSqlite(file, MIGRATIONS, runtime.nowMs()));
  const writer = new SqliteWriter(file, runtime);
  const reader = new SqliteReader(file);
  const scans = new ScanThreads(file, SCAN_THREADS);
  const database = openingFile(file, () => new SqliteDatabase(file, writer, runtime));
  const stores = createSqlStores(database);
  const records = new SqliteRecordStore(database, writer, reader);
  const purgeSome = () => writer.submit({ kind: 'purge', maxRows: PURGE_CHUNK }, { records: 0, bytes: 0 });
  const purge = purgeAfterDelete(stores.datasets, purgeSome, runtime);
  purge.start();
  const turns = new OneAtATime();

  return {
    database,
    ...stores,
    datasets: purge.datasets,
    users: records,
    items: records,
    events: new SqliteEventStore(database, writer, reader, scans),
    outcomes: new SqliteOutcomeStore(database, writer),
    streams: new SqliteStreamStore(database, writer),
    mergeUsers: ({ users, events }, ids) =>
      mergeInSteps(() =>
        writer.submit(
          {
            kind: 'merge-users',
            target: targetOf(events),
            userTarget: targetOf(users),
            ...ids,
            maxEvents: MERGE_CHUNK,
          },
          { records: 1, bytes: 1000, rows: MERGE_CHUNK },
        ),
      ),
    // One service uses the file, so turns within this process suffice.
    exclusively: (name, work) => turns.run(name, work),
    load: () => writer.load,
    replaced: new Promise(() => {}),
    async close() {
      await purge.stop();
      await Promise.all([reader.close(), scans.close()]);
      await database.close();
    },
  };
}
