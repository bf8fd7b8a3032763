// Opens the store in one PostgreSQL database that several nodes may share.
import { isUnavailable } from '../../errors.ts';
import { MERGE_CHUNK, mergeInSteps } from '../merge-users.ts';
import { MIGRATIONS } from '../migrations/index.ts';
import { OneAtATime } from '../one-at-a-time.ts';
import { purgeAfterDelete } from '../sql/purge-after-delete.ts';
import { createSqlStores } from '../sql/sql-stores.ts';
import type { Store } from '../store.ts';
import { PostgresInterner } from './interner.ts';
import { userMerge } from './merge-users.ts';
import { migratePostgres } from './migrate.ts';
import { PostgresDatabase, type PostgresOptions } from './postgres-database.ts';
import { PostgresEventStore } from './postgres-event-store.ts';
import { PostgresOutcomeStore } from './postgres-outcome-store.ts';
import { PostgresRecordStore } from './postgres-record-store.ts';
import { PostgresStreamStore } from './postgres-stream-store.ts';
import { purgeSome } from './purge.ts';
import { settleAfterOlder } from './settle-datasets.ts';
import { emptyOutboxRegularly } from './settle-outbox.ts';
import { PostgresWriter } from './writer.ts';

const START_PATIENCE_MS = 20_000;
const START_PAUSE_MS = 250;

export async function openPostgres(url: string, options: PostgresOptions = {}): Promise<Store> {
  const database = new PostgresDatabase(url, options);
  try {
    await whenReachable(database);
    await migratePostgres(database, MIGRATIONS);
  } catch (error) {
    await database.close();
    throw error;
  }
  const writer = new PostgresWriter(database);
  const stores = createSqlStores(database);
  const records = new PostgresRecordStore(database, writer);
  const interner = new PostgresInterner();
  const merge = userMerge(interner);
  const purge = purgeAfterDelete(stores.datasets, () => purgeSome(database), database.runtime);
  purge.start();
  const settling = settleAfterOlder(database);
  const outbox = emptyOutboxRegularly(database);
  // Callers in this process wait for their turn here first, so that they hold no connection while they wait.
  const turns = new OneAtATime();

  return {
    database,
    ...stores,
    datasets: purge.datasets,
    users: records,
    items: records,
    events: new PostgresEventStore(database, writer, interner),
    outcomes: new PostgresOutcomeStore(database, writer),
    streams: new PostgresStreamStore(database, writer, interner),
    mergeUsers: ({ users, events }, ids) =>
      mergeInSteps(() =>
        writer.submit(events, merge, { users, ...ids }, { records: 1, bytes: 1000, rows: MERGE_CHUNK }),
      ),
    exclusively: (name, work) => turns.run(name, () => database.exclusively(name, work)),
    load: () => writer.load,
    replaced: database.replaced,
    async close() {
      await settling.stop();
      await purge.stop();
      await outbox.stop();
      await writer.close();
      await database.close();
    },
  };
}

/** A database that starts together with Kindred may need a while; a wrong password or name fails immediately. */
async function whenReachable(database: PostgresDatabase): Promise<void> {
  const { runtime } = database;
  const deadline = runtime.monotonicMs() + START_PATIENCE_MS;
  for (;;) {
    try {
      return await database.ping();
    } catch (error) {
      if (!isUnavailable(error) || runtime.monotonicMs() > deadline) throw error;
      await runtime.sleep(START_PAUSE_MS);
    }
  }
}
