// Upserts and deletes users and items under the dataset's lock; see sqlite/write-records.ts for versions and deletions.
import { capacityOf } from '../../domain/dataset.ts';
import { KEPT_DELETIONS, type UpsertOutcome } from '../record-store.ts';
import type { WriteContext } from './write-context.ts';

/** A record as it waits to be written: its attributes as JSON, so that what waits has a known size. */
export interface WaitingRecord {
  id: string;
  json: string;
}

export async function upsertRecords(
  { client, counts, target }: WriteContext,
  batches: readonly (readonly WaitingRecord[])[],
): Promise<UpsertOutcome[][]> {
  const ids = [...new Set(batches.flatMap((batch) => batch.map(({ id }) => id)))];
  const { rows } = await client.query<{ id: string }>('SELECT id FROM record WHERE dataset_no = $1 AND id = ANY($2)', [
    counts.dataset_no,
    ids,
  ]);
  const existing = new Set(rows.map(({ id }) => id));
  const capacity = capacityOf(target);
  const stored = new Map<string, { version: number; record: WaitingRecord }>();
  const outcomes = batches.map((batch) =>
    batch.map((record): UpsertOutcome => {
      if (!existing.has(record.id)) {
        if (counts.num_records >= capacity) return 'full';
        existing.add(record.id);
        counts.num_records++;
      }
      stored.set(record.id, { version: ++counts.version, record });
      return 'stored';
    }),
  );
  const written = [...stored.values()];
  await client.query(
    `INSERT INTO record (dataset_no, id, version, attributes)
     SELECT $1, * FROM unnest($2::text[], $3::bigint[], $4::text[])
     ON CONFLICT (dataset_no, id) DO UPDATE SET version = excluded.version, attributes = excluded.attributes`,
    [
      counts.dataset_no,
      written.map(({ record }) => record.id),
      written.map(({ version }) => version),
      written.map(({ record }) => record.json),
    ],
  );
  return outcomes;
}

export async function deleteRecords({ client, counts }: WriteContext, ids: readonly string[]): Promise<number> {
  const { rows } = await client.query<{ id: string }>(
    'DELETE FROM record WHERE dataset_no = $1 AND id = ANY($2) RETURNING id',
    [counts.dataset_no, ids],
  );
  await client.query(
    `INSERT INTO record_deletion (dataset_no, version, id)
     SELECT $1, $2 + place, id FROM unnest($3::text[]) WITH ORDINALITY AS deleted (id, place)`,
    [counts.dataset_no, counts.version, rows.map(({ id }) => id)],
  );
  counts.version += rows.length;
  counts.num_records -= rows.length;
  const { rows: forgotten } = await client.query<{ version: number }>(
    'SELECT version FROM record_deletion WHERE dataset_no = $1 ORDER BY version DESC LIMIT 1 OFFSET $2',
    [counts.dataset_no, KEPT_DELETIONS],
  );
  if (forgotten.length > 0) {
    counts.changes_from = forgotten[0].version;
    await client.query('DELETE FROM record_deletion WHERE dataset_no = $1 AND version <= $2', [
      counts.dataset_no,
      counts.changes_from,
    ]);
  }
  return rows.length;
}
