import { openPostgres } from '../../src/store/postgres/open-postgres.ts';
import { freshPostgres } from '../support/postgres.ts';
import { describeStore } from '../support/store-suite.ts';

describeStore('PostgreSQL', async () => {
  const { url, drop } = await freshPostgres();
  const store = await openPostgres(url);
  return {
    store,
    reopen: () => openPostgres(url),
    async close() {
      await store.close();
      await drop();
    },
  };
});
