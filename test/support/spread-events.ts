// Events on two servers: two databases of the server of the tests, one of which reaches the other as it would another server.
import { PostgresDatabase } from '../../src/store/postgres/postgres-database.ts';
import { moveShards } from '../../src/store/postgres/shard-moves/move-shards.ts';
import { freshPostgres } from './postgres.ts';

export interface Servers {
  url: string;
  otherUrl: string;
  drop(): Promise<void>;
}

/** Two empty databases. */
export async function twoServers(): Promise<Servers> {
  const [main, other] = [await freshPostgres(), await freshPostgres()];
  return {
    url: main.url,
    otherUrl: other.url,
    async drop() {
      await main.drop();
      await other.drop();
    },
  };
}

/** `to` is null for a partition of the same server. */
export async function moveShardsTo(
  url: string,
  shards: { from: number; to: number | null },
  to: string | null,
): Promise<void> {
  const database = new PostgresDatabase(url, { maxConnections: 2 });
  try {
    await moveShards(database, { fromShard: shards.from, toShard: shards.to, url: to }, () => {});
  } finally {
    await database.close();
  }
}
