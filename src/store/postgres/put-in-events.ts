// Writes events that have their numbers already into the partition of a shard; those of another server by the outbox.
import { EVENT_COLUMNS, partitionOf } from './event-partitions.ts';
import type { WriteContext } from './write-context.ts';

/** A row of the event table. */
export interface StoredEvent {
  dataset_no: number;
  type_no: number;
  place: number;
  ts: number;
  seq: number;
  value: number;
  item_no: number;
  event_id: string;
  attributes: string | null;
  recommendation: string | null;
}

const TYPES = {
  dataset_no: 'integer',
  type_no: 'integer',
  place: 'bigint',
  ts: 'bigint',
  seq: 'bigint',
  value: 'double precision',
  item_no: 'integer',
  event_id: 'text',
  attributes: 'text',
  recommendation: 'text',
} as const satisfies Record<keyof StoredEvent, string>;

const ARRAYS = Object.values(TYPES).map((type, at) => `$${at + 1}::${type}[]`);
const NAMES = Object.keys(TYPES) as (keyof StoredEvent)[];

export async function putInEvents(
  { client, counts, partitions }: WriteContext,
  shard: number,
  events: readonly StoredEvent[],
): Promise<void> {
  if (events.length === 0) return;
  const { table, isRemote } = partitionOf(partitions, shard);
  await client.query(
    `INSERT INTO ${isRemote ? 'event_outbox' : table} (${EVENT_COLUMNS}) SELECT * FROM unnest(${ARRAYS.join(', ')})`,
    NAMES.map((name) => events.map((event) => event[name])),
  );
  if (isRemote) counts.pending_events += events.length;
}
