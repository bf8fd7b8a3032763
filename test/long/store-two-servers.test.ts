// The contract of the store when shards 0 to 4 are on another server: all of small datasets and half of those with ten shards.
import { openPostgres } from '../../src/store/postgres/open-postgres.ts';
import { moveShardsTo, twoServers } from '../support/spread-events.ts';
import { describeStore } from '../support/store-suite.ts';

describeStore('PostgreSQL with events on two servers', async () => {
  const servers = await twoServers();
  const store = await openPostgres(servers.url);
  await moveShardsTo(servers.url, { from: 0, to: 5 }, servers.otherUrl);
  return {
    store,
    reopen: () => openPostgres(servers.url),
    async close() {
      await store.close();
      await servers.drop();
    },
  };
});
