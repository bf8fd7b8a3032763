// Lists the partitions of events on PostgreSQL and moves shards between servers, for the command line.
import { PARTITIONS_SQL, type PartitionRow, partitionsOf } from './event-partitions.ts';
import { PostgresDatabase } from './postgres-database.ts';
import { cancelMove, moveShards, type ShardsToMove } from './shard-moves/move-shards.ts';

export { MoveRefused } from './shard-moves/move-refused.ts';
export type { ShardsToMove } from './shard-moves/move-shards.ts';

export interface ListedPartition {
  table: string;
  from_shard: number;
  /** the last shard to move; null: all that follow */
  to_shard: number | null;
  /** host:port/database of another server; null: the main server */
  server: string | null;
  /** the server's last estimate */
  events: number;
}

export interface EventShards {
  list(): Promise<ListedPartition[]>;
  /** Moves the shards, or continues an interrupted move of the same shards. `say` receives progress. */
  move(shards: ShardsToMove, say: (text: string) => void): Promise<void>;
  /** Returns whether there was an unfinished move. */
  cancel(say: (text: string) => void): Promise<boolean>;
  close(): Promise<void>;
}

/** A move holds its lock on one connection and works on the other. */
const CONNECTIONS = 2;

export function openEventShards(databaseUrl: string): EventShards {
  const database = new PostgresDatabase(databaseUrl, { maxConnections: CONNECTIONS });
  return {
    list: () => listPartitions(database),
    move: (shards, say) => moveShards(database, shards, say),
    cancel: (say) => cancelMove(database, say),
    close: () => database.close(),
  };
}

interface TableRow {
  name: string;
  events: number;
  server: string | null;
}

async function listPartitions(database: PostgresDatabase): Promise<ListedPartition[]> {
  const [{ partitions }] = await database.all<{ partitions: PartitionRow[] | null }>(
    `SELECT ${PARTITIONS_SQL} AS partitions`,
  );
  const tables = await database.all<TableRow>(
    `SELECT relname AS name, greatest(reltuples, 0) AS events, (
       SELECT split_part(o[1], '=', 2) || ':' || split_part(o[2], '=', 2) || '/' || split_part(o[3], '=', 2)
       FROM (SELECT srvoptions AS o) AS s) AS server
     FROM pg_class LEFT JOIN pg_foreign_table ON ftrelid = pg_class.oid
     LEFT JOIN pg_foreign_server ON pg_foreign_server.oid = ftserver
     WHERE relispartition AND relnamespace = current_schema()::regnamespace`,
  );
  return partitionsOf(partitions ?? []).map(({ table, fromShard, toShard }) => {
    const { events, server } = tables.find(({ name }) => name === table)!;
    return { table, from_shard: fromShard, to_shard: Number.isFinite(toShard) ? toShard - 1 : null, server, events };
  });
}
