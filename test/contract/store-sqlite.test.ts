import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../../src/store/open-store.ts';
import { describeStore } from '../support/store-suite.ts';

describeStore('SQLite', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'kindred-store-'));
  const store = await openStore({ dataDir });
  return {
    store,
    reopen: () => openStore({ dataDir }),
    async close() {
      await store.close();
      rmSync(dataDir, { recursive: true });
    },
  };
});
