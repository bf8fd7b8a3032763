// Removes what deleted datasets left behind, a chunk a transaction; see purge-after-delete.ts.
import { PURGE_CHUNK } from '../sql/purge-after-delete.ts';
import type { PostgresDatabase } from './postgres-database.ts';

const TABLES = [
  ...['event', 'record', 'record_deletion', 'event_change', 'event_tally'],
  ...['outcome_item', 'outcome_served', 'interned'],
];

/** Returns whether more is left. Nodes that purge at the same time take different datasets. */
export function purgeSome(database: PostgresDatabase): Promise<boolean> {
  return database.transaction(async (client) => {
    const { rows } = await client.query<{ dataset_no: number }>(
      `SELECT dataset_no FROM dataset_count c
       WHERE NOT EXISTS (SELECT 1 FROM dataset d WHERE d.dataset_id = c.dataset_id)
       LIMIT 1 FOR UPDATE SKIP LOCKED`,
    );
    if (rows.length === 0) return false;
    const { dataset_no } = rows[0];
    for (const table of TABLES) {
      const { rowCount } = await client.query(
        `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE dataset_no = $1 LIMIT $2))`,
        [dataset_no, PURGE_CHUNK],
      );
      if (rowCount === PURGE_CHUNK) return true;
    }
    await client.query('DELETE FROM dataset_count WHERE dataset_no = $1', [dataset_no]);
    return true;
  });
}
