// Upserts and deletes events under the dataset's lock. Batches that waited together are written together: one DELETE of what
// they replace, one COPY of what they bring.
import { pipeline } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import { capacityOf } from '../../domain/dataset.ts';
import { type EventColumns, textsOf } from '../../domain/record-columns.ts';
import {
  type EventUpsert,
  FIRST_SEEN_FROM_EVENTS,
  type FirstSeenIds,
  INTERNED_KIND_NO,
  MAX_FIRST_SEEN,
} from '../event-store.ts';
import type { UpsertOutcome } from '../record-store.ts';
import { shardOf } from '../shard-of.ts';
import { packUsers, prunedBefore } from '../sql/changed-users.ts';
import { EVENT_BYTES_SQL } from '../sql/event-bytes.ts';
import { eventRowBytes, sumOf } from '../stored-bytes.ts';
import { type CountedEvent, TallyLog } from '../tallies/tally-log.ts';
import { FOLD_EVERY } from '../tallies/tally-runs.ts';
import { copyInSql, type EventRow, encodeEvents } from './copy-events.ts';
import { partitionOf, TWO_32 } from './event-partitions.ts';
import type { PostgresInterner } from './interner.ts';
import { takeOutEvents } from './take-out-events.ts';
import { TouchedLists } from './touched-lists.ts';
import type { WriteContext } from './write-context.ts';
import { foldTallies } from './write-tallies.ts';

/** The user's number is the lower half of an event's place. */
export const USER_NO = `place % ${TWO_32}`;
/** `forgottenId` of a row of `interned`. */
export const FORGOTTEN_ID_SQL = 'chr(1) || interned.no';
const REMOVED = `place, ${USER_NO} AS user_no, ts, item_no AS item, type_no AS type, value, recommendation, ${EVENT_BYTES_SQL}`;

interface RemovedEvent extends CountedEvent {
  place: number;
  user_no: number;
  recommendation: string | null;
  bytes: number;
}

/**
 * SQL condition that selects the events to delete. $1 is the dataset's number and $2 is in use. Its parameters start at
 * $3.
 */
export interface DeletedEvents {
  sql: string;
  params: readonly unknown[];
  /** The only shard that has them, if it is known. */
  shard?: number;
}

/** An event of a batch, with the location of its other columns. */
interface WaitingEvent {
  columns: EventColumns;
  row: number;
  recommendation: string;
  event_id: string;
  user_id: string;
  item_id: string;
  event_type: string;
}

function eventsOf(columns: EventColumns): WaitingEvent[] {
  const userIds = textsOf(columns.userIds);
  const itemIds = textsOf(columns.itemIds);
  const types = textsOf(columns.types);
  const recommendations = columns.recommendations.bytes.length === 0 ? null : textsOf(columns.recommendations);
  return textsOf(columns.eventIds).map((event_id, row) => ({
    columns,
    row,
    recommendation: recommendations?.[row] ?? '',
    event_id,
    user_id: userIds[row],
    item_id: itemIds[row],
    event_type: types[row],
  }));
}

export async function upsertEvents(
  context: WriteContext,
  interner: PostgresInterner,
  columns: readonly EventColumns[],
): Promise<EventUpsert[]> {
  const { counts } = context;
  const batches = columns.map(eventsOf);
  const touched = new TouchedLists(context, context.nowMs);
  const foreign = await touched.foreignAmong(batches.flatMap((batch) => batch.map((event) => event.recommendation)));
  const isOwn = ({ recommendation }: WaitingEvent): boolean => !foreign.has(recommendation);
  const eventIds = [
    ...new Set(
      batches
        .flat()
        .filter(isOwn)
        .map(({ event_id }) => event_id),
    ),
  ];
  // Existing events are replaced in any case, so they can be removed before anything else is decided.
  const replaced = await takeOutEvents<RemovedEvent & { event_id: string }>(context, {
    condition: 'event_id = ANY($2)',
    params: [eventIds],
    columns: `event_id, ${REMOVED}`,
  });
  counts.stored_bytes -= sumOf(replaced, ({ bytes }) => bytes);
  const tellsNew = counts.num_records >= FIRST_SEEN_FROM_EVENTS;
  const before = { items: counts.num_items, types: counts.num_types };
  const existing = new Set(replaced.map(({ event_id }) => event_id));
  const capacity = capacityOf(context.target);
  /** Stored events by id, in order of writing. */
  const stored = new Map<string, WaitingEvent>();
  const outcomes = batches.map((batch) =>
    batch.map((event): UpsertOutcome => {
      if (!isOwn(event)) return 'foreign';
      if (!existing.has(event.event_id)) {
        if (counts.num_records >= capacity) return 'full';
        existing.add(event.event_id);
        counts.num_records++;
      }
      stored.delete(event.event_id);
      stored.set(event.event_id, event);
      return 'stored';
    }),
  );
  const tallies = new TallyLog(context.nowMs);
  for (const event of replaced) tallies.add(event, -1);
  await touched.gone(replaced);
  for (const { columns: own, row, ...event } of stored.values()) {
    touched.stored({ ...event, ts: own.ts[row], value: own.values[row] });
  }
  const written = await context.step('write rows', async () =>
    stored.size > 0 ? copyIn(context, interner, [...stored.values()], tallies) : NOTHING_WRITTEN,
  );
  await context.step('count outcomes', () => touched.count());
  counts.version++;
  const writtenUsers = new Set(written.users.values());
  await forgetUsers(
    context,
    replaced.filter(({ user_no }) => !writtenUsers.has(user_no)),
  );
  await context.step('count top lists', () =>
    noteChange(context, [...written.users.values(), ...replaced.map(({ user_no }) => user_no)], tallies),
  );
  const hasNew = tellsNew && (counts.num_items > before.items || counts.num_types > before.types);
  return outcomes.map((ofBatch, n) => ({
    outcomes: ofBatch,
    firstSeen: hasNew
      ? {
          items: firstSeen(batches[n], 'item_id', written.items, before.items),
          types: firstSeen(batches[n], 'event_type', written.types, before.types),
        }
      : null,
  }));
}

function firstSeen(
  batch: readonly WaitingEvent[],
  field: 'item_id' | 'event_type',
  numbers: ReadonlyMap<string, number>,
  before: number,
): FirstSeenIds {
  const rows = new Map<string, number>();
  for (let row = 0; row < batch.length && rows.size < MAX_FIRST_SEEN; row++) {
    const id = batch[row][field];
    if ((numbers.get(id) ?? -1) >= before && !rows.has(id)) rows.set(id, row);
  }
  return { ids: Array.from(rows, ([id, row]) => ({ row, id })), before };
}

type Numbers = Record<'users' | 'items' | 'types', ReadonlyMap<string, number>>;
const NOTHING_WRITTEN: Numbers = { users: new Map(), items: new Map(), types: new Map() };

async function copyIn(
  context: WriteContext,
  interner: PostgresInterner,
  events: readonly WaitingEvent[],
  tallies: TallyLog,
): Promise<Numbers> {
  const { client, counts, target } = context;
  const users = await interner.numbersOf(context, 'user', new Set(events.map(({ user_id }) => user_id)));
  const items = await interner.numbersOf(context, 'item', new Set(events.map(({ item_id }) => item_id)));
  const types = await interner.numbersOf(context, 'type', new Set(events.map(({ event_type }) => event_type)));
  const rows = events.map(
    (event): EventRow => ({
      type_no: types.get(event.event_type)!,
      shard: shardOf(event.user_id, target.num_shards),
      user_no: users.get(event.user_id)!,
      item_no: items.get(event.item_id)!,
      seq: ++counts.last_seq,
      columns: event.columns,
      row: event.row,
    }),
  );
  for (const { columns, row, item_no, type_no } of rows) {
    tallies.add({ ts: columns.ts[row], item: item_no, type: type_no, value: columns.values[row] }, 1);
  }
  const [here, elsewhere] = byServer(context, rows);
  const copy = async (table: 'event' | 'event_outbox', copied: EventRow[]): Promise<void> => {
    if (copied.length === 0) return;
    await pipeline(encodeEvents(counts.dataset_no, copied), client.query(copyFrom(copyInSql(table))));
  };
  await copy('event', here);
  await copy('event_outbox', elsewhere);
  counts.pending_events += elsewhere.length;
  counts.stored_bytes += sumOf(events, ({ columns, row }) => eventRowBytes(columns, row));
  return { users, items, types };
}

/** Separates the rows for this server from those for others. */
function byServer({ partitions }: WriteContext, rows: EventRow[]): [EventRow[], EventRow[]] {
  if (!partitions.some(({ isRemote }) => isRemote)) return [rows, []];
  const isElsewhere = ({ shard }: EventRow): boolean => partitionOf(partitions, shard).isRemote;
  return [rows.filter((row) => !isElsewhere(row)), rows.filter(isElsewhere)];
}

/** Deletes up to `limit` events written up to `lastSeq` that meet the condition, and returns how many. */
export async function deleteEvents(
  context: WriteContext,
  { sql, params, shard }: DeletedEvents,
  lastSeq: number,
  limit: number,
): Promise<number> {
  const { counts } = context;
  const rows = await takeOutEvents<RemovedEvent>(context, {
    condition: `seq <= $2 AND ${sql}`,
    params: [lastSeq, ...params],
    columns: REMOVED,
    shard,
    limit,
  });
  if (rows.length === 0) return 0;
  counts.num_records -= rows.length;
  counts.stored_bytes -= sumOf(rows, ({ bytes }) => bytes);
  counts.version++;
  const touched = new TouchedLists(context, context.nowMs);
  await touched.gone(rows);
  await touched.count();
  await forgetUsers(context, rows);
  const tallies = new TallyLog(context.nowMs);
  for (const event of rows) tallies.add(event, -1);
  await noteChange(
    context,
    rows.map(({ user_no }) => user_no),
    tallies,
  );
  return rows.length;
}

/** Deletes the ids of users without events from `interned`; see sqlite/forget-users.ts. */
export async function forgetUsers(context: WriteContext, users: readonly { place: number }[]): Promise<void> {
  context.counts.erasures += await takeIds(context, users);
}

/** Takes away the ids of the users without events. Returns how many there were. */
export async function takeIds({ client, counts }: WriteContext, users: readonly { place: number }[]): Promise<number> {
  if (users.length === 0) return 0;
  const { rows } = await client.query<{ grown: number }>(
    `UPDATE interned SET id = ${FORGOTTEN_ID_SQL} FROM (
       SELECT known.no, octet_length(known.id) AS bytes FROM unnest($2::bigint[]) AS gone (place)
       JOIN interned known ON known.dataset_no = $1 AND known.kind = ${INTERNED_KIND_NO.user}
         AND known.no = (gone.place % ${TWO_32})::integer
       -- One by one: each place is looked up in its partition, and no partition is read as a whole.
       WHERE (SELECT 1 FROM event WHERE event.dataset_no = $1 AND event.place = gone.place LIMIT 1) IS NULL) AS forgotten
     WHERE interned.dataset_no = $1 AND interned.kind = ${INTERNED_KIND_NO.user} AND interned.no = forgotten.no
     RETURNING octet_length(interned.id) - forgotten.bytes AS grown`,
    [counts.dataset_no, [...new Set(users.map(({ place }) => place))]],
  );
  counts.stored_bytes += sumOf(rows, ({ grown }) => grown);
  return rows.length;
}

/** Writes the log of changed users (store/sql/changed-users.ts) and the changes of the counts. */
export async function noteChange(
  { client, counts, nowMs }: WriteContext,
  users: readonly number[],
  tallies?: TallyLog,
): Promise<void> {
  const { dataset_no, version } = counts;
  await client.query('INSERT INTO event_change (dataset_no, version, users, counts) VALUES ($1, $2, $3, $4)', [
    dataset_no,
    version,
    packUsers(users),
    tallies?.take() ?? null,
  ]);
  if (version % FOLD_EVERY === 0) await foldTallies(client, counts, nowMs);
  const before = prunedBefore(version);
  if (before !== null) {
    await client.query('DELETE FROM event_change WHERE dataset_no = $1 AND version <= $2', [dataset_no, before]);
  }
}
