import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openStore } from '../../src/store/open-store.ts';
import { freshPostgres } from '../support/postgres.ts';
import { DIALECTS } from '../support/test-database.ts';

for (const dialect of DIALECTS) {
  test(`${dialect}: several processes may start at once, and a database of a newer version is refused untouched`, async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'kindred-migrate-'));
    const server = dialect === 'postgres' ? await freshPostgres() : null;
    const config = { dataDir, databaseUrl: server?.url };

    const stores = await Promise.all([openStore(config), openStore(config), openStore(config)]);
    await stores[0].database.atomic([
      { sql: "INSERT INTO schema_migration (version, name, applied_ts) VALUES (9999, 'from the future', 0)" },
    ]);
    await Promise.all(stores.map((store) => store.close()));
    await assert.rejects(openStore(config), /newer Kindred: it has schema migration 9999 \(from the future\)/);

    await server?.drop();
    rmSync(dataDir, { recursive: true });
  });
}
