// Takes events out of the partitions that may hold them. Those of another server are only read here: that they go is noted in
// the outbox, see outbox.ts.
import { type EventPartition, partitionOf } from './event-partitions.ts';
import { noteGone } from './outbox.ts';
import type { WriteContext } from './write-context.ts';

export interface EventsToTake {
  /** SQL condition. $1 is the dataset's number, and the parameters follow. */
  condition: string;
  params: readonly unknown[];
  /** The columns to return. */
  columns: string;
  /** The only shard with such events, if it is known. */
  shard?: number;
  limit?: number;
}

/** Deletes events and returns the requested columns. */
export async function takeOutEvents<T extends object>(context: WriteContext, wanted: EventsToTake): Promise<T[]> {
  const { partitions } = context;
  const candidates = wanted.shard === undefined ? partitions : [partitionOf(partitions, wanted.shard)];
  const taken: T[] = [];
  for (const partition of candidates) {
    const limit = wanted.limit === undefined ? null : wanted.limit - taken.length;
    if (limit === 0) break;
    taken.push(...(await takeFrom<T>(context, partition, { ...wanted, limit })));
  }
  return taken;
}

type Portion = Pick<EventsToTake, 'condition' | 'params' | 'columns'> & { limit: number | null };

async function takeFrom<T extends object>(
  context: WriteContext,
  { table, isRemote }: EventPartition,
  { condition, params, columns, limit }: Portion,
): Promise<T[]> {
  const { client, counts } = context;
  const matching = `dataset_no = $1 AND ${condition}`;
  const values = [counts.dataset_no, ...params];
  if (!isRemote) {
    // Within one local table a row is identified by its ctid.
    const chosen =
      limit === null ? matching : `ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE ${matching} LIMIT ${limit}))`;
    return (await client.query<T>(`DELETE FROM ${table} WHERE ${chosen} RETURNING ${columns}`, values)).rows;
  }
  const { rows } = await client.query<T & { gone_id: string; gone_place: number }>(
    `SELECT event_id AS gone_id, place AS gone_place, ${columns} FROM ${table} WHERE ${matching}
     ${limit === null ? '' : `LIMIT ${limit}`}`,
    values,
  );
  await noteGone(
    context,
    rows.map(({ gone_id, gone_place }) => ({ event_id: gone_id, place: gone_place })),
  );
  return rows;
}
