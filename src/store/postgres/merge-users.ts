// Merges a user into another under the locks of both datasets; see store/merge-users.ts. The user's number is a part of an
// event's place: nothing else of the event changes.
import type { Dataset } from '../../domain/dataset.ts';
import { textColumns } from '../../domain/record-columns.ts';
import { INTERNED_KIND_NO } from '../event-store.ts';
import { joinAttributes, MERGE_CHUNK, type MergeStep, type UsersToMerge } from '../merge-users.ts';
import type { StoredRecord } from '../parse-records.ts';
import { shardOf } from '../shard-of.ts';
import { RECORD_ROW_BYTES, sumOf } from '../stored-bytes.ts';
import { EVENT_COLUMNS, TWO_32 } from './event-partitions.ts';
import type { PostgresInterner } from './interner.ts';
import { putInEvents, type StoredEvent } from './put-in-events.ts';
import { takeOutEvents } from './take-out-events.ts';
import type { WriteContext } from './write-context.ts';
import { noteChange, takeIds } from './write-events.ts';
import { mergeOutcomes } from './write-outcomes.ts';
import { upsertRecords } from './write-records.ts';
import { type BulkOperation, oneByOne } from './writer.ts';

interface MergeInput extends UsersToMerge {
  users: Dataset;
}

/** A merge stores nothing new except rows of ids, so the plan's limit does not apply. */
export function userMerge(interner: PostgresInterner): BulkOperation<MergeInput, MergeStep> {
  return oneByOne((context, merge) => context.outsidePlan(() => mergeStep(context, interner, merge)));
}

async function mergeStep(context: WriteContext, interner: PostgresInterner, input: MergeInput): Promise<MergeStep> {
  const { users, from, into } = input;
  // The record comes first: if it is refused, nothing has changed yet.
  const record = await context.withUsers(users, (ofUsers) => mergeRecords(ofUsers, { from, into }));
  if (record === 'too-large') return record;
  await mergeOutcomes(context, { from, into });
  const { movedEvents, knowsInto } = await moveEvents(context, interner, { from, into });
  return { movedEvents, hadRecord: record.hadRecord, knowsInto: knowsInto || record.knowsInto };
}

async function mergeRecords(context: WriteContext, { from, into }: UsersToMerge) {
  const { client, counts } = context;
  const { rows } = await client.query<StoredRecord>(
    'SELECT id, attributes FROM record WHERE dataset_no = $1 AND id = ANY($2)',
    [counts.dataset_no, [from, into]],
  );
  const attributesById = new Map(rows.map(({ id, attributes }) => [id, attributes]));
  const ofFrom = attributesById.get(from);
  const ofInto = attributesById.get(into);
  if (ofFrom === undefined) return { hadRecord: false, knowsInto: ofInto !== undefined };
  const attributes = joinAttributes(ofFrom, ofInto ?? null);
  if (attributes === null) return 'too-large';
  // Deleted first, so that the joined record has room.
  const { rows: removed } = await client.query<{ bytes: number }>(
    `DELETE FROM record WHERE dataset_no = $1 AND id = $2
     RETURNING ${RECORD_ROW_BYTES} + octet_length(id) + octet_length(attributes) AS bytes`,
    [counts.dataset_no, from],
  );
  counts.num_records -= removed.length;
  counts.stored_bytes -= sumOf(removed, ({ bytes }) => bytes);
  counts.version++;
  // Merged users leave no marks, so changes since an earlier version are unknown from here on.
  counts.changes_from = counts.version;
  await upsertRecords(context, [textColumns([{ id: into, attributes }])]);
  return { hadRecord: true, knowsInto: true };
}

async function moveEvents(context: WriteContext, interner: PostgresInterner, { from, into }: UsersToMerge) {
  const { client, counts, target } = context;
  const { rows: known } = await client.query<{ id: string; no: number }>(
    'SELECT id, no FROM interned WHERE dataset_no = $1 AND kind = $2 AND id = ANY($3)',
    [counts.dataset_no, INTERNED_KIND_NO.user, [from, into]],
  );
  const fromNo = known.find(({ id }) => id === from)?.no;
  if (fromNo === undefined) return { movedEvents: 0, knowsInto: known.length > 0 };
  const intoNo = (await interner.numbersOf(context, 'user', new Set([into]))).get(into)!;
  const [fromShard, intoShard] = [from, into].map((id) => shardOf(id, target.num_shards));
  const fromPlace = fromShard * TWO_32 + fromNo;
  const intoPlace = intoShard * TWO_32 + intoNo;
  const moved = await takeOutEvents<StoredEvent>(context, {
    condition: 'place = $2',
    params: [fromPlace],
    columns: EVENT_COLUMNS,
    shard: fromShard,
    limit: MERGE_CHUNK,
  });
  await putInEvents(
    context,
    intoShard,
    moved.map((event) => ({ ...event, place: intoPlace })),
  );
  counts.version++;
  counts.merges += await takeIds(context, [{ place: fromPlace }]);
  await noteChange(context, [fromNo, intoNo]);
  return { movedEvents: moved.length, knowsInto: true };
}
