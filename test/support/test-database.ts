// A fresh database of either dialect for a test file.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '../../src/store/database.ts';
import { openDatabase } from '../../src/store/open-store.ts';
import { freshPostgres } from './postgres.ts';

export const DIALECTS = ['sqlite', 'postgres'] as const;
export type Dialect = (typeof DIALECTS)[number];

/** Where a service keeps its data: an empty data folder and, for PostgreSQL, an empty database. */
export interface TestPlace {
  dataDir: string;
  databaseUrl: string | null;
  remove(): Promise<void>;
}

export async function newTestPlace(dialect: Dialect): Promise<TestPlace> {
  const dataDir = mkdtempSync(join(tmpdir(), 'kindred-test-'));
  const postgres = dialect === 'postgres' ? await freshPostgres() : null;
  return {
    dataDir,
    databaseUrl: postgres?.url ?? null,
    async remove() {
      await postgres?.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

export async function openTestDatabase(dialect: Dialect): Promise<{ database: Database; close: () => Promise<void> }> {
  const place = await newTestPlace(dialect);
  const database = await openDatabase(place);
  return {
    database,
    async close() {
      await database.close();
      await place.remove();
    },
  };
}
