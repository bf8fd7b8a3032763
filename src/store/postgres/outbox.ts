// Changes that a write makes on another server. One transaction on two servers is not atomic: one of them may stop between the
// two commits. So a write only notes in `event_outbox`, in its own transaction, what is to change elsewhere. A second
// transaction, which the call waits for, makes those changes and empties the outbox. If it stops half-way, its changes are made
// again: they delete an event by its id before they insert it, so repeating them changes nothing.
//
// The order is kept by the dataset's lock: whoever holds it empties the outbox of the dataset before anything else.
import { EVENT_COLUMNS, isInPartition, TWO_32 } from './event-partitions.ts';
import type { WriteContext } from './write-context.ts';

export interface OutboxRow {
  event_id: string;
  place: number;
}

/** Queues the deletion of these events on the other server. */
export async function noteGone({ client, counts }: WriteContext, events: readonly OutboxRow[]): Promise<void> {
  if (events.length === 0) return;
  counts.pending_events += events.length;
  await client.query(
    `INSERT INTO event_outbox (gone, ${EVENT_COLUMNS})
     SELECT true, $1, 0, place, 0, 0, 0, 0, event_id, NULL, NULL FROM unnest($2::bigint[], $3::text[]) AS t (place, event_id)`,
    [counts.dataset_no, events.map(({ place }) => place), events.map(({ event_id }) => event_id)],
  );
}

/** Makes the changes that wait. Returns the places events went from and those they came to. */
export async function emptyOutbox({
  client,
  counts,
  partitions,
}: WriteContext): Promise<Record<'gone' | 'come', number[]>> {
  const { rows } = await client.query<OutboxRow & { gone: boolean }>(
    'SELECT event_id, place, gone FROM event_outbox WHERE dataset_no = $1',
    [counts.dataset_no],
  );
  // Uses the current partitions, because shards may have moved since the changes were queued.
  const parts = partitions.map((partition) => ({
    ...partition,
    rows: rows.filter(({ place }) => isInPartition(partition, place)),
  }));
  const changed = parts.filter((part) => part.rows.length > 0);
  for (const part of changed) {
    // The place is part of the condition: after a restore into one database, the old and the new place of an event that
    // moved are in one partition.
    await client.query(`DELETE FROM ${part.table} WHERE dataset_no = $1 AND event_id = ANY($2) AND place = ANY($3)`, [
      counts.dataset_no,
      [...new Set(part.rows.map(({ event_id }) => event_id))],
      [...new Set(part.rows.map(({ place }) => place))],
    ]);
  }
  for (const { table, fromShard, toShard } of changed) {
    await client.query(
      `INSERT INTO ${table} (${EVENT_COLUMNS}) SELECT ${EVENT_COLUMNS} FROM event_outbox
       WHERE dataset_no = $1 AND NOT gone AND place >= $2 AND ($3::bigint IS NULL OR place < $3)`,
      [counts.dataset_no, fromShard * TWO_32, Number.isFinite(toShard) ? toShard * TWO_32 : null],
    );
  }
  await client.query('DELETE FROM event_outbox WHERE dataset_no = $1', [counts.dataset_no]);
  counts.pending_events = 0;
  const placesOf = (gone: boolean): number[] => rows.filter((row) => row.gone === gone).map(({ place }) => place);
  return { gone: placesOf(true), come: placesOf(false) };
}
