// Upserts and deletes users and items inside the writer's transaction. Every record carries the dataset version of its last
// write. A deleted item leaves a mark with its version, so that caches can follow the changes and the item stays deleted.
//
// Invariant: an id has a record, a mark or neither, never both.
import type { DatabaseSync } from 'node:sqlite';
import { capacityOf } from '../../domain/dataset.ts';
import { type RecordColumns, textColumns, textsOf } from '../../domain/record-columns.ts';
import { MAX_PATCHED_BYTES, patchAttributes } from '../../domain/record-patch.ts';
import { INTERNED_KIND_NO } from '../event-store.ts';
import type { StoredRecord } from '../parse-records.ts';
import { type PatchOutcome, rememberedDeletions, type UpsertOutcome } from '../record-store.ts';
import {
  ID_ROW_BYTES,
  idRowBytes,
  mostRecordBytes,
  RECORD_ROW_BYTES,
  recordRowBytes,
  storageExceeded,
  sumOf,
} from '../stored-bytes.ts';
import { datasetCountTable, type OwnedCounts } from './dataset-counts.ts';
import { type RecordMerge, recordMerger } from './merge-users.ts';
import type { Erasure } from './remains-cleaner.ts';
import type {
  DeleteRecordsCommand,
  MergeUsersCommand,
  PatchRecordsCommand,
  UpsertRecordsCommand,
} from './write-protocol.ts';

export interface RecordWriter {
  upsert(command: UpsertRecordsCommand, nowMs: number): UpsertOutcome[];
  patch(command: PatchRecordsCommand, nowMs: number): PatchOutcome[];
  delete(command: DeleteRecordsCommand): number;
  merge(command: MergeUsersCommand, nowMs: number): RecordMerge | 'too-large';
}

interface Forgotten {
  version: number;
  bytes: number;
}

export function recordWriter(db: DatabaseSync, erasure: Erasure): RecordWriter {
  const datasetCounts = datasetCountTable(db);
  const update = db.prepare('UPDATE record SET version = ?, attributes = ? WHERE dataset_no = ? AND id = ?');
  const insert = db.prepare(
    'INSERT INTO record (dataset_no, id, version, attributes, created_ts) VALUES (?, ?, ?, ?, ?)',
  );
  const bytesOf = db.prepare(
    `SELECT ${RECORD_ROW_BYTES} + octet_length(id) + octet_length(attributes) AS bytes FROM record
     WHERE dataset_no = ? AND id = ?`,
  );
  const attributesOf = db.prepare('SELECT attributes FROM record WHERE dataset_no = ? AND id = ?');
  const remove = db.prepare(
    `DELETE FROM record WHERE dataset_no = ? AND id = ?
     RETURNING ${RECORD_ROW_BYTES} + octet_length(id) + octet_length(attributes) AS bytes`,
  );
  const mark = db.prepare(
    'INSERT INTO record_deletion (dataset_no, version, id) VALUES (?, ?, ?) ON CONFLICT (dataset_no, id) DO NOTHING',
  );
  const unmark = db.prepare('DELETE FROM record_deletion WHERE dataset_no = ? AND id = ?');
  const seenInEvents = db.prepare(
    `SELECT 1 FROM dataset JOIN dataset_count USING (dataset_id) JOIN interned USING (dataset_no)
     WHERE account_id = ? AND dataset.kind = 'event' AND interned.kind = ${INTERNED_KIND_NO.item} AND id = ?`,
  );
  const forgetOldest = db.prepare(
    `DELETE FROM record_deletion WHERE dataset_no = ? AND version <=
       (SELECT version FROM record_deletion WHERE dataset_no = ? ORDER BY version LIMIT 1 OFFSET ?)
     RETURNING version, ${ID_ROW_BYTES} + octet_length(id) AS bytes`,
  );

  /** Stored bytes of a record; 0 if it does not exist. */
  const storedBytes = (datasetNo: number, id: string): number =>
    (bytesOf.get(datasetNo, id) as { bytes: number } | undefined)?.bytes ?? 0;

  function refuseBeyondPlan(counts: OwnedCounts, columns: RecordColumns): void {
    const { bytes: room, maxBytes } = datasetCounts.room(counts);
    if (mostRecordBytes(columns) <= room) return;
    const grown = textsOf(columns.ids).reduce(
      (sum, id, i) => sum + recordRowBytes(columns, i) - storedBytes(counts.dataset_no, id),
      0,
    );
    if (grown > Math.max(0, room)) throw storageExceeded(maxBytes);
  }

  function store(counts: OwnedCounts, { target, columns }: UpsertRecordsCommand, nowMs: number): UpsertOutcome[] {
    const attributes = textsOf(columns.attributes);
    const { dataset_no } = counts;
    const capacity = capacityOf(target);
    const outcomes = textsOf(columns.ids).map((id, i): UpsertOutcome => {
      const version = counts.version + 1;
      const replaced = storedBytes(dataset_no, id);
      if (replaced > 0) {
        update.run(version, attributes[i], dataset_no, id);
      } else {
        if (counts.num_records >= capacity) return 'full';
        insert.run(dataset_no, id, version, attributes[i], nowMs);
        counts.num_records++;
        if (counts.num_deletions > 0 && unmark.run(dataset_no, id).changes === 1) {
          counts.num_deletions--;
          counts.stored_bytes -= idRowBytes(id);
        }
      }
      counts.stored_bytes += recordRowBytes(columns, i) - replaced;
      counts.version = version;
      return 'stored';
    });
    datasetCounts.write(counts);
    return outcomes;
  }

  const writer: Omit<RecordWriter, 'merge'> = {
    upsert(command, nowMs) {
      const counts = datasetCounts.read(command.target);
      refuseBeyondPlan(counts, command.columns);
      return store(counts, command, nowMs);
    },

    patch({ target, columns, creates }, nowMs) {
      const changes = textsOf(columns.attributes);
      const { dataset_no } = datasetCounts.read(target);
      const patched: StoredRecord[] = [];
      const rows: number[] = [];
      let bytes = 0;
      const outcomes = textsOf(columns.ids).map((id, i): PatchOutcome => {
        const stored = storedBytes(dataset_no, id);
        if (stored === 0 && !creates) return 'unknown';
        if (bytes + stored > MAX_PATCHED_BYTES) return 'too-much';
        bytes += stored;
        const row = attributesOf.get(dataset_no, id) as { attributes: string } | undefined;
        const attributes = patchAttributes(id, row?.attributes ?? '{}', changes[i]);
        if (attributes === null) return 'too-large';
        patched.push({ id, attributes });
        rows.push(i);
        return 'stored';
      });
      if (patched.length === 0) return outcomes;
      // Nothing has been written yet: a call that exceeds the plan is refused as a whole.
      const written = writer.upsert({ kind: 'upsert-records', target, columns: textColumns(patched) }, nowMs);
      for (const [n, row] of rows.entries()) outcomes[row] = written[n];
      return outcomes;
    },

    delete({ target, ids, isRemembered }) {
      const counts = datasetCounts.read(target);
      const unrecorded: string[] = [];
      const remember = (id: string): void => {
        if (mark.run(counts.dataset_no, counts.version + 1, id).changes === 0) return;
        counts.version++;
        counts.num_deletions++;
        counts.stored_bytes += idRowBytes(id);
      };
      for (const id of ids) {
        const removed = remove.get(counts.dataset_no, id) as { bytes: number } | undefined;
        if (removed === undefined) unrecorded.push(id);
        else {
          counts.stored_bytes -= removed.bytes;
          if (isRemembered) remember(id);
          else counts.version++;
        }
      }
      const deleted = ids.length - unrecorded.length;
      if (isRemembered && unrecorded.length > 0) {
        const growth = counts.stored_bytes - counts.bytes_before + sumOf(unrecorded, idRowBytes);
        const hasRoom = growth <= datasetCounts.room(counts).bytes;
        for (const id of unrecorded) if (hasRoom || seenInEvents.get(counts.account_id, id)) remember(id);
      }
      const excess = counts.num_deletions - rememberedDeletions(target);
      if (excess > 0) {
        const forgotten = forgetOldest.all(counts.dataset_no, counts.dataset_no, excess - 1) as unknown as Forgotten[];
        counts.num_deletions -= forgotten.length;
        counts.stored_bytes -= sumOf(forgotten, ({ bytes }) => bytes);
        counts.changes_from = forgotten.reduce((newest, { version }) => Math.max(newest, version), counts.changes_from);
      }
      // These deletions leave no marks, so changes since an earlier version are unknown from here on.
      if (!isRemembered && deleted > 0) {
        counts.changes_from = counts.version;
        counts.erasures++;
        erasure.due();
      }
      counts.num_records -= deleted;
      datasetCounts.write(counts);
      return deleted;
    },
  };
  return { ...writer, merge: recordMerger(db, { store, datasetCounts, erasure }) };
}
