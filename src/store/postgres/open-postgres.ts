// Everything Kindred keeps, in one PostgreSQL database that several nodes may share.
import { createCatalogue } from '../catalogue/catalogue.ts';
import { MIGRATIONS } from '../migrations/index.ts';
import { purgeAfterDelete } from '../purge-after-delete.ts';
import type { Store } from '../store.ts';
import { migratePostgres } from './migrate.ts';
import { PostgresDatabase } from './postgres-database.ts';
import { PostgresEventStore } from './postgres-event-store.ts';
import { PostgresRecordStore } from './postgres-record-store.ts';
import { purgeSome } from './purge.ts';
import { PostgresWriter } from './writer.ts';

export async function openPostgres(url: string): Promise<Store> {
  const database = new PostgresDatabase(url);
  try {
    await migratePostgres(database, MIGRATIONS);
  } catch (error) {
    await database.close();
    throw error;
  }
  const writer = new PostgresWriter(database);
  const catalogue = createCatalogue(database);
  const records = new PostgresRecordStore(database, writer);
  const purge = purgeAfterDelete(catalogue.datasets, () => purgeSome(database));
  purge.start();

  return {
    database,
    ...catalogue,
    datasets: purge.datasets,
    users: records,
    items: records,
    events: new PostgresEventStore(database, writer),
    load: () => writer.load,
    async close() {
      await purge.stop();
      await writer.close();
      await database.close();
    },
  };
}
