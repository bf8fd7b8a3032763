// The tables that partitions are made of. A migration that changes the table of events has to change those of other servers too:
// PostgreSQL passes a change on to foreign tables, but not to what they refer to.
import { TWO_32 } from '../event-partitions.ts';

const COLUMNS = `dataset_no INTEGER NOT NULL, type_no INTEGER NOT NULL, place BIGINT NOT NULL, ts BIGINT NOT NULL,
  seq BIGINT NOT NULL, value DOUBLE PRECISION NOT NULL, item_no INTEGER NOT NULL, event_id TEXT COLLATE "C" NOT NULL,
  attributes TEXT, recommendation TEXT`;

/** A new partition of a move: a range of shards and the server that gets them. */
export interface Piece {
  table: string;
  fromShard: number;
  /** Exclusive; null: up to the last shard. */
  toShard: number | null;
  /** Name of a foreign server; null: the server of the table itself. */
  server: string | null;
}

/**
 * Creates the table with its indexes. Because of the constraint, the server need not read the table when it becomes a
 * partition.
 */
export function createTableSql(piece: Piece): string {
  const { table } = piece;
  return `
    CREATE TABLE ${table} (${COLUMNS}, PRIMARY KEY (dataset_no, event_id),
      CONSTRAINT ${table}_shards CHECK (${rangeSql(piece)}));
    CREATE INDEX ${table}_by_place ON ${table} (dataset_no, place, ts, seq);
    CREATE INDEX ${table}_by_time ON ${table} (dataset_no, ts, seq)`;
}

export function createForeignTableSql({ table, server }: Piece, remoteSchema: string): string {
  return `CREATE FOREIGN TABLE IF NOT EXISTS ${table} (${COLUMNS}) SERVER ${server}
    OPTIONS (schema_name '${remoteSchema}', table_name '${table}')`;
}

export function attachSql({ table, fromShard, toShard }: Piece): string {
  const from = fromShard === 0 ? 'MINVALUE' : fromShard * TWO_32;
  const to = toShard === null ? 'MAXVALUE' : toShard * TWO_32;
  return `ALTER TABLE event ATTACH PARTITION ${table} FOR VALUES FROM (${from}) TO (${to})`;
}

/** Whether a row belongs to the piece. */
export function rangeSql({ fromShard, toShard }: Pick<Piece, 'fromShard' | 'toShard'>): string {
  const from = fromShard === 0 ? '' : `place >= ${fromShard * TWO_32}`;
  const to = toShard === null ? '' : `place < ${toShard * TWO_32}`;
  return [from, to].filter((side) => side !== '').join(' AND ') || 'true';
}
