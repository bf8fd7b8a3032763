// Upserts and deletes users and items under the dataset's lock; see sqlite/write-records.ts for versions and deletions.
import { capacityOf } from '../../domain/dataset.ts';
import { bytesAt, type RecordColumns, textsOf } from '../../domain/record-columns.ts';
import { INTERNED_KIND_NO } from '../event-store.ts';
import { rememberedDeletions, type UpsertOutcome } from '../record-store.ts';
import { idRowBytes, RECORD_ROW_BYTES, recordRowBytes, sumOf } from '../stored-bytes.ts';
import { binaryTextArray } from './binary-array.ts';
import type { WriteContext } from './write-context.ts';

/** Bytes of attributes in one statement: what the API thread encodes at a stretch. */
const PORTION_BYTES = 1024 * 1024;

const ROW_BYTES_SQL = `${RECORD_ROW_BYTES} + octet_length(id) + octet_length(attributes) AS bytes`;

interface StoredRecord {
  id: string;
  bytes: number;
}

interface WrittenRecord extends StoredRecord {
  version: number;
  attributes: Uint8Array;
}

export async function upsertRecords(
  { client, counts, target, nowMs }: WriteContext,
  columns: readonly RecordColumns[],
): Promise<UpsertOutcome[][]> {
  const batches = columns.map(({ ids }) => textsOf(ids));
  const { rows } = await client.query<StoredRecord>(
    `SELECT id, ${ROW_BYTES_SQL} FROM record WHERE dataset_no = $1 AND id = ANY($2)`,
    [counts.dataset_no, [...new Set(batches.flat())]],
  );
  const existing = new Set(rows.map(({ id }) => id));
  const replaced = new Map(rows.map(({ id, bytes }) => [id, bytes]));
  const capacity = capacityOf(target);
  const fresh: string[] = [];
  const stored = new Map<string, WrittenRecord>();
  const outcomes = batches.map((ids, batch) =>
    ids.map((id, row): UpsertOutcome => {
      if (!existing.has(id)) {
        if (counts.num_records >= capacity) return 'full';
        existing.add(id);
        fresh.push(id);
        counts.num_records++;
      }
      const bytes = recordRowBytes(columns[batch], row);
      counts.stored_bytes += bytes - (stored.get(id)?.bytes ?? replaced.get(id) ?? 0);
      stored.set(id, { id, version: ++counts.version, attributes: bytesAt(columns[batch].attributes, row), bytes });
      return 'stored';
    }),
  );
  for (const portion of portionsOf([...stored.values()])) {
    await client.query(
      `INSERT INTO record (dataset_no, id, version, attributes, created_ts)
       SELECT $1, *, $5::bigint FROM unnest($2::text[], $3::bigint[], $4::text[])
       ON CONFLICT (dataset_no, id) DO UPDATE SET version = excluded.version, attributes = excluded.attributes`,
      [
        counts.dataset_no,
        portion.map(({ id }) => id),
        portion.map(({ version }) => version),
        binaryTextArray(portion.map(({ attributes }) => attributes)),
        nowMs,
      ],
    );
  }
  if (counts.num_deletions > 0 && fresh.length > 0) {
    const { rows: unmarked } = await client.query<{ id: string }>(
      'DELETE FROM record_deletion WHERE dataset_no = $1 AND id = ANY($2) RETURNING id',
      [counts.dataset_no, fresh],
    );
    counts.num_deletions -= unmarked.length;
    counts.stored_bytes -= sumOf(unmarked, ({ id }) => idRowBytes(id));
  }
  return outcomes;
}

function* portionsOf(records: readonly WrittenRecord[]): Generator<WrittenRecord[]> {
  let portion: WrittenRecord[] = [];
  let bytes = 0;
  for (const record of records) {
    if (portion.length > 0 && bytes + record.attributes.length > PORTION_BYTES) {
      yield portion;
      portion = [];
      bytes = 0;
    }
    portion.push(record);
    bytes += record.attributes.length;
  }
  if (portion.length > 0) yield portion;
}

export interface RecordDeletion {
  ids: readonly string[];
  /** Whether the ids are remembered as deleted. */
  isRemembered: boolean;
}

export async function deleteRecords(context: WriteContext, { ids, isRemembered }: RecordDeletion): Promise<number> {
  const { client, counts, target } = context;
  const bytesBefore = counts.stored_bytes;
  const { rows } = await client.query<StoredRecord>(
    `DELETE FROM record WHERE dataset_no = $1 AND id = ANY($2) RETURNING id, ${ROW_BYTES_SQL}`,
    [counts.dataset_no, ids],
  );
  counts.num_records -= rows.length;
  counts.stored_bytes -= sumOf(rows, ({ bytes }) => bytes);
  if (!isRemembered) {
    counts.version += rows.length;
    // These deletions leave no marks, so changes since an earlier version are unknown from here on.
    if (rows.length > 0) {
      counts.changes_from = counts.version;
      counts.erasures++;
    }
    return rows.length;
  }
  const existing = new Set(rows.map(({ id }) => id));
  const remembered = [...existing];
  const unrecorded = [...new Set(ids)].filter((id) => !existing.has(id));
  if (unrecorded.length > 0) {
    const growth = counts.stored_bytes - bytesBefore + sumOf([...remembered, ...unrecorded], idRowBytes);
    remembered.push(...((await hasRoom(context, growth)) ? unrecorded : await seenInEvents(context, unrecorded)));
  }
  const { rows: marked } = await client.query<{ id: string }>(
    `INSERT INTO record_deletion (dataset_no, version, id)
     SELECT $1, $2 + place, id FROM unnest($3::text[]) WITH ORDINALITY AS deleted (id, place)
     ON CONFLICT (dataset_no, id) DO NOTHING RETURNING id`,
    [counts.dataset_no, counts.version, remembered],
  );
  if (marked.length === 0) return 0;
  counts.version += remembered.length;
  counts.num_deletions += marked.length;
  counts.stored_bytes += sumOf(marked, ({ id }) => idRowBytes(id));
  const excess = counts.num_deletions - rememberedDeletions(target);
  if (excess > 0) {
    const { rows: forgotten } = await client.query<{ version: number; id: string }>(
      `DELETE FROM record_deletion WHERE dataset_no = $1 AND version <=
         (SELECT version FROM record_deletion WHERE dataset_no = $1 ORDER BY version LIMIT 1 OFFSET $2)
       RETURNING version, id`,
      [counts.dataset_no, excess - 1],
    );
    counts.num_deletions -= forgotten.length;
    counts.stored_bytes -= sumOf(forgotten, ({ id }) => idRowBytes(id));
    counts.changes_from = forgotten.reduce((newest, { version }) => Math.max(newest, version), counts.changes_from);
  }
  return rows.length;
}

async function hasRoom({ client, target }: WriteContext, bytes: number): Promise<boolean> {
  const { rows } = await client.query<{ has_room: boolean }>(
    'SELECT storage_bytes + $2 <= max_storage_bytes AS has_room FROM account WHERE account_id = $1',
    [target.account_id, bytes],
  );
  return rows[0]?.has_room ?? false;
}

async function seenInEvents({ client, target }: WriteContext, ids: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    `SELECT DISTINCT id FROM dataset JOIN dataset_count USING (dataset_id) JOIN interned USING (dataset_no)
     WHERE account_id = $1 AND dataset.kind = 'event' AND interned.kind = $2 AND id = ANY($3)`,
    [target.account_id, INTERNED_KIND_NO.item, ids],
  );
  return rows.map(({ id }) => id);
}
