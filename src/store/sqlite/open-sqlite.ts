// Everything Kindred keeps, in one SQLite file.

import { createCatalogue } from '../catalogue/catalogue.ts';
import type { DatasetStore } from '../catalogue-store.ts';
import { MIGRATIONS } from '../migrations/index.ts';
import type { Store } from '../store.ts';
import { migrateSqlite } from './migrate.ts';
import { SqliteReader } from './reader.ts';
import { SqliteDatabase } from './sqlite-database.ts';
import { SqliteEventStore } from './sqlite-event-store.ts';
import { SqliteRecordStore } from './sqlite-record-store.ts';
import { SqliteWriter } from './writer.ts';

/** Rows of a deleted dataset removed in one turn of the writer. */
const PURGE_CHUNK = 2000;

export function openSqlite(file: string): Store {
  migrateSqlite(file, MIGRATIONS);
  const writer = new SqliteWriter(file);
  const reader = new SqliteReader(file);
  const database = new SqliteDatabase(file, writer);
  const catalogue = createCatalogue(database);
  const records = new SqliteRecordStore(database, writer, reader);
  let closing = false;
  let purging: Promise<void> | undefined;

  async function purgeDeletedDatasets(): Promise<void> {
    try {
      while (!closing && (await writer.submit({ kind: 'purge', maxRows: PURGE_CHUNK }, { records: 0, bytes: 0 }))) {
        // One chunk a turn: other writes come in between.
      }
    } catch {
      // Whatever stopped it (a full disk, a closing store) is told to those who write; the next deletion or start goes on.
    } finally {
      purging = undefined;
    }
  }

  return {
    database,
    ...catalogue,
    datasets: withPurge(catalogue.datasets, () => {
      purging ??= purgeDeletedDatasets();
    }),
    users: records,
    items: records,
    events: new SqliteEventStore(database, writer, reader),
    load: () => writer.load,
    async close() {
      closing = true;
      await purging;
      await reader.close();
      await database.close();
    },
  };
}

function withPurge(datasets: DatasetStore, purge: () => void): DatasetStore {
  return {
    create: (dataset) => datasets.create(dataset),
    get: (accountId, kind, datasetId) => datasets.get(accountId, kind, datasetId),
    list: (accountId, kind, page) => datasets.list(accountId, kind, page),
    update: (accountId, kind, datasetId, change) => datasets.update(accountId, kind, datasetId, change),
    async delete(accountId, kind, datasetId) {
      const deleted = await datasets.delete(accountId, kind, datasetId);
      if (deleted !== null && deleted !== 'in-use') purge();
      return deleted;
    },
  };
}
