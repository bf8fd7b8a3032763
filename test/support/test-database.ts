// A fresh store on either database for a test file.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { freshPostgres } from './postgres.ts';

export type Dialect = 'sqlite' | 'postgres';
/** Both, or SQLite alone in the fast lane (`npm run test:fast`). */
export const DIALECTS: readonly Dialect[] =
  process.env.KINDRED_TEST_DATABASES === 'sqlite' ? ['sqlite'] : ['sqlite', 'postgres'];

/** Of suites that start services, test/e2e: SQLite in `npm test`, PostgreSQL in `npm run test:long`. */
export const DIALECTS_OF_LONG_SUITES: readonly Dialect[] = process.env.KINDRED_TEST_LONG ? ['postgres'] : ['sqlite'];

/** Where a service keeps its data: an empty data folder and, for PostgreSQL, an empty database. */
export interface TestPlace {
  dataDir: string;
  databaseUrl: string | null;
  /** for a service that keeps its data there */
  env: Record<string, string>;
  remove(): Promise<void>;
}

export async function newTestPlace(dialect: Dialect): Promise<TestPlace> {
  const dataDir = mkdtempSync(join(tmpdir(), 'kindred-test-'));
  const postgres = dialect === 'postgres' ? await freshPostgres() : null;
  return {
    dataDir,
    databaseUrl: postgres?.url ?? null,
    env: { KINDRED_DATA_DIR: dataDir, ...(postgres && { KINDRED_DATABASE_URL: postgres.url }) },
    async remove() {
      await postgres?.drop();
      // A process that was killed may still write for a moment.
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

interface OpenTestStore {
  store: Store;
  dataDir: string;
  close: () => Promise<void>;
}

export async function openTestStore(dialect: Dialect): Promise<OpenTestStore> {
  const place = await newTestPlace(dialect);
  const store = await openStore(place);
  return {
    store,
    dataDir: place.dataDir,
    async close() {
      await store.close();
      await place.remove();
    },
  };
}
