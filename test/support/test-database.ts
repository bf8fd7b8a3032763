// A fresh database of either dialect for a test file.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '../../src/store/database.ts';
import { openDatabase } from '../../src/store/open-store.ts';

export const DIALECTS = ['sqlite'] as const;

export async function openTestDatabase(
  _dialect: (typeof DIALECTS)[number],
): Promise<{ database: Database; close: () => Promise<void> }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'kindred-'));
  const database = await openDatabase({ dataDir });
  return {
    database,
    close: async () => {
      await database.close();
      rmSync(dataDir, { recursive: true });
    },
  };
}
