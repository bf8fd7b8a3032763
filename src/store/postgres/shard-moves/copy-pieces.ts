// Copies the rows of a partition into its new pieces while it is written to. First everything, in chunks along the index of
// users; then, again and again, the events that changed meanwhile. A chunk or a replay that was cut short is simply repeated:
// an event that the copy has wrong was changed since the move began, so it is in the log, and replaying puts it right.
import type pg from 'pg';
import { EVENT_COLUMNS } from '../event-partitions.ts';
import { rangeSql } from './event-table.ts';
import type { Move } from './move-state.ts';

const CHUNK_EVENTS = 20_000;
const REPLAYED_AT_ONCE = 5000;

/** Copies the next chunk and returns whether more is left. */
export async function copyChunk(client: pg.ClientBase, move: Move): Promise<boolean> {
  const { source, pieces } = move;
  const { rows: datasets } = await client.query<{ dataset_no: number }>(
    'SELECT dataset_no FROM dataset_count WHERE dataset_no >= $1 ORDER BY dataset_no LIMIT 1',
    [move.copied_dataset],
  );
  if (datasets.length === 0) return false;
  const [{ dataset_no }] = datasets;
  const after = dataset_no === move.copied_dataset ? move.copied_place : -1;
  // A chunk never ends within a user's events.
  const { rows: ends } = await client.query<{ place: string }>(
    `SELECT place FROM ${source} WHERE dataset_no = $1 AND place > $2 ORDER BY place OFFSET ${CHUNK_EVENTS} LIMIT 1`,
    [dataset_no, after],
  );
  const end = ends.length > 0 ? Number(ends[0].place) : null;
  for (const piece of pieces) {
    await client.query(
      `INSERT INTO ${piece.table} (${EVENT_COLUMNS}) SELECT ${EVENT_COLUMNS} FROM ${source}
       WHERE dataset_no = $1 AND place > $2 AND ($3::bigint IS NULL OR place <= $3) AND ${rangeSql(piece)}
       ON CONFLICT DO NOTHING`,
      [dataset_no, after, end],
    );
  }
  await (end === null ? copiedUpTo(client, move, dataset_no + 1, -1) : copiedUpTo(client, move, dataset_no, end));
  return true;
}

export async function copiedUpTo(client: pg.ClientBase, move: Move, dataset: number, place: number): Promise<void> {
  await client.query('UPDATE event_move SET copied_dataset = $1, copied_place = $2', [dataset, place]);
  Object.assign(move, { copied_dataset: dataset, copied_place: place });
}

/** Applies the oldest changes of the log to the pieces and returns how many there were. */
export async function replay(client: pg.ClientBase, { source, pieces }: Move): Promise<number> {
  const { rows } = await client.query<{ dataset_no: number; event_ids: string[]; changes: string }>(
    `WITH taken AS (
       DELETE FROM event_move_log WHERE no IN (SELECT no FROM event_move_log ORDER BY no LIMIT ${REPLAYED_AT_ONCE})
       RETURNING dataset_no, event_id)
     SELECT dataset_no, array_agg(DISTINCT event_id) AS event_ids, count(*) AS changes FROM taken GROUP BY dataset_no`,
  );
  for (const { dataset_no, event_ids } of rows) {
    // Deletes from all pieces before it inserts: an event may have moved from one piece to another.
    for (const { table } of pieces) {
      await client.query(`DELETE FROM ${table} WHERE dataset_no = $1 AND event_id = ANY($2)`, [dataset_no, event_ids]);
    }
    for (const piece of pieces) {
      await client.query(
        `INSERT INTO ${piece.table} (${EVENT_COLUMNS}) SELECT ${EVENT_COLUMNS} FROM ${source}
         WHERE dataset_no = $1 AND event_id = ANY($2) AND ${rangeSql(piece)}`,
        [dataset_no, event_ids],
      );
    }
  }
  return rows.reduce((sum, { changes }) => sum + Number(changes), 0);
}
