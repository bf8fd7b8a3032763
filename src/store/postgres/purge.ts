// Removes what deleted datasets left behind, a chunk a transaction; see purge-after-delete.ts.
import { PURGE_CHUNK } from '../sql/purge-after-delete.ts';
import { PARTITIONS_SQL, type PartitionRow, partitionsOf } from './event-partitions.ts';
import { BEGIN_WRITING, type PostgresDatabase } from './postgres-database.ts';

const TABLES = [
  'event_outbox',
  'record',
  'record_deletion',
  'event_change',
  'event_tally',
  'outcome_item',
  'outcome_served',
  'interned',
];

/** Returns whether more is left. Nodes that purge at the same time take different datasets. */
export function purgeSome(database: PostgresDatabase): Promise<boolean> {
  return database.transaction(async (client) => {
    const { rows } = await client.query<{ dataset_no: number; partitions: PartitionRow[] }>(
      `SELECT dataset_no, ${PARTITIONS_SQL} AS partitions FROM dataset_count c
       WHERE NOT EXISTS (SELECT 1 FROM dataset d WHERE d.dataset_id = c.dataset_id)
       LIMIT 1 FOR UPDATE OF c SKIP LOCKED`,
    );
    if (rows.length === 0) return false;
    const { dataset_no } = rows[0];
    const here = (name: string) => ({ table: name, isRemote: false });
    for (const { table, isRemote } of [...partitionsOf(rows[0].partitions), ...TABLES.map(here)]) {
      // On another server, rows are deleted without the outbox: they are no longer counted, and deleting them twice
      // does no harm.
      const key = isRemote ? 'event_id' : 'ctid';
      const { rowCount } = await client.query(
        `DELETE FROM ${table} WHERE dataset_no = $1 AND ${key} = ANY (ARRAY(
           SELECT ${key} FROM ${table} WHERE dataset_no = $1 LIMIT $2))`,
        [dataset_no, PURGE_CHUNK],
      );
      if (rowCount === PURGE_CHUNK) return true;
    }
    await client.query('DELETE FROM dataset_count WHERE dataset_no = $1', [dataset_no]);
    return true;
  }, BEGIN_WRITING);
}
