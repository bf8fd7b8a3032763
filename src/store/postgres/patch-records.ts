// Changes single attributes of users and items under the dataset's lock. Records are parsed here, on the API thread, so they
// come a portion at a time, and other calls get their turn in between.

import { ownTurn } from '../../base/turns.ts';
import { type RecordColumns, textColumns, textsOf } from '../../domain/record-columns.ts';
import { MAX_PATCHED_BYTES, patchAttributes } from '../../domain/record-patch.ts';
import type { StoredRecord } from '../parse-records.ts';
import type { PatchOutcome } from '../record-store.ts';
import { RECORD_ROW_BYTES } from '../stored-bytes.ts';
import type { WriteContext } from './write-context.ts';
import { upsertRecords } from './write-records.ts';

/** Bytes of records that are read, parsed and written at a time. A larger record is handled alone. */
const PORTION_BYTES = 256 * 1024;

export interface RecordPatch {
  columns: RecordColumns;
  /** Whether an unknown id gets a record. */
  creates: boolean;
}

export async function patchRecords(context: WriteContext, { columns, creates }: RecordPatch): Promise<PatchOutcome[]> {
  const { client, counts } = context;
  const ids = textsOf(columns.ids);
  const changes = textsOf(columns.attributes);
  const { rows } = await client.query<{ id: string; bytes: number }>(
    `SELECT id, ${RECORD_ROW_BYTES} + octet_length(id) + octet_length(attributes) AS bytes FROM record
     WHERE dataset_no = $1 AND id = ANY($2)`,
    [counts.dataset_no, ids],
  );
  const bytesById = new Map(rows.map(({ id, bytes }) => [id, bytes]));
  let bytes = 0;
  const outcomes = ids.map((id): PatchOutcome => {
    if (!creates && !bytesById.has(id)) return 'unknown';
    const stored = bytesById.get(id) ?? 0;
    if (bytes + stored > MAX_PATCHED_BYTES) return 'too-much';
    bytes += stored;
    return 'stored';
  });
  const rowById = new Map(ids.map((id, row) => [id, row]));
  const wanted = ids.filter((_, row) => outcomes[row] === 'stored');
  for (const portion of portionsOf(wanted, (id) => bytesById.get(id) ?? changes[rowById.get(id)!].length)) {
    const { rows: stored } = await client.query<StoredRecord>(
      'SELECT id, attributes FROM record WHERE dataset_no = $1 AND id = ANY($2)',
      [counts.dataset_no, portion],
    );
    const attributesById = new Map(stored.map(({ id, attributes }) => [id, attributes]));
    const patched: StoredRecord[] = [];
    for (const id of portion) {
      const row = rowById.get(id)!;
      const attributes = patchAttributes(id, attributesById.get(id) ?? '{}', changes[row]);
      if (attributes === null) outcomes[row] = 'too-large';
      else patched.push({ id, attributes });
    }
    if (patched.length > 0) {
      const [written] = await upsertRecords(context, [textColumns(patched)]);
      for (const [n, { id }] of patched.entries()) outcomes[rowById.get(id)!] = written[n];
    }
    await ownTurn();
  }
  return outcomes;
}

function* portionsOf(ids: readonly string[], bytesOf: (id: string) => number): Generator<string[]> {
  let portion: string[] = [];
  let bytes = 0;
  for (const id of ids) {
    if (portion.length > 0 && bytes + bytesOf(id) > PORTION_BYTES) {
      yield portion;
      portion = [];
      bytes = 0;
    }
    portion.push(id);
    bytes += bytesOf(id);
  }
  if (portion.length > 0) yield portion;
}
