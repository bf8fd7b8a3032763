// A fresh database of either dialect for a test file.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '../../src/store/database.ts';
import { openDatabase } from '../../src/store/open-store.ts';
import { freshPostgres } from './postgres.ts';

export const DIALECTS = ['sqlite', 'postgres'] as const;

export async function openTestDatabase(
  dialect: (typeof DIALECTS)[number],
): Promise<{ database: Database; close: () => Promise<void> }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'kindred-'));
  const server = dialect === 'postgres' ? await freshPostgres() : null;
  const database = await openDatabase({ dataDir, databaseUrl: server?.url });
  return {
    database,
    close: async () => {
      await database.close();
      await server?.drop();
      rmSync(dataDir, { recursive: true });
    },
  };
}
