// The partitions of events. The table `event` is partitioned by ranges of shards, the upper half of an event's place. A user's
// events are in one shard and so in one partition. A partition is a table of this server, or a foreign table: one of another
// server.
//
// The server's own registry of partitions is the only record of them. Writers share a lock against changes of it before they
// read it (PostgresDatabase.writing), so what they read holds until they commit. It is no lock of a table: those are taken in an
// order that migrations rely on.
//
// An event's id is unique in its dataset, which no index over all partitions can say: each partition has a unique index, and
// writers, one at a time per dataset, take an id out of every partition before they write it.

import type pg from 'pg';

/** An event's place is its shard times this, plus its user's number. */
export const TWO_32 = 2 ** 32;
/** All columns of an event, in the order of the table. */
export const EVENT_COLUMNS =
  'dataset_no, type_no, place, ts, seq, value, item_no, event_id, attributes, recommendation';

/** Key of an advisory lock, "shard" in ASCII. Any constant would do. */
const PARTITIONS_LOCK = 0x7368617264;
/** While the transaction runs, no partition is added, removed or moved. */
export const KEEP_PARTITIONS_SQL = `SELECT pg_advisory_xact_lock_shared(${PARTITIONS_LOCK})`;
/** While the transaction runs, nothing is written: waits for current writers and holds off others. */
export const STOP_WRITERS_SQL = `SELECT pg_advisory_xact_lock(${PARTITIONS_LOCK})`;

export interface EventPartition {
  table: string;
  fromShard: number;
  /** Exclusive; Infinity for the last. */
  toShard: number;
  /** true if the partition is on another server */
  isRemote: boolean;
}

export interface PartitionRow {
  table: string;
  bounds: string;
  remote: boolean;
}

/** An expression: a JSON array, for partitionsOf. */
export const PARTITIONS_SQL = `(SELECT json_agg(json_build_object(
    'table', c.relname, 'bounds', pg_get_expr(c.relpartbound, c.oid), 'remote', c.relkind = 'f'))
  FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'event'::regclass)`;

/** Returns the partitions in the order of their shards. */
export function partitionsOf(rows: readonly PartitionRow[]): EventPartition[] {
  return rows
    .map(({ table, bounds, remote }) => {
      const [, from, to] = /^FOR VALUES FROM \(([^)]+)\) TO \(([^)]+)\)$/.exec(bounds)!;
      return { table, fromShard: shardAt(from, 0), toShard: shardAt(to, Number.POSITIVE_INFINITY), isRemote: remote };
    })
    .sort((a, b) => a.fromShard - b.fromShard);
}

/** Reads the shard from a bound such as '4294967296' (with the quotes) or MAXVALUE. */
function shardAt(bound: string, otherwise: number): number {
  return bound.endsWith('VALUE') ? otherwise : Number(bound.replaceAll("'", '')) / TWO_32;
}

export function partitionOf(partitions: readonly EventPartition[], shard: number): EventPartition {
  return partitions.find(({ toShard }) => shard < toShard)!;
}

export function isInPartition({ fromShard, toShard }: EventPartition, place: number): boolean {
  return place >= fromShard * TWO_32 && place < toShard * TWO_32;
}

export async function readPartitions(client: pg.ClientBase): Promise<EventPartition[]> {
  const { rows } = await client.query<{ partitions: PartitionRow[] | null }>(`SELECT ${PARTITIONS_SQL} AS partitions`);
  // null in a database that an earlier version created.
  return partitionsOf(rows[0].partitions ?? []);
}
