// Merges a user into another inside the writer's transaction; see store/merge-users.ts. Only the owner in an event's place
// changes: its time and order of writing stay.
import type { DatabaseSync } from 'node:sqlite';
import { textColumns } from '../../domain/record-columns.ts';
import { joinAttributes, type MergeStep } from '../merge-users.ts';
import { shardOf } from '../shard-of.ts';
import { RECORD_ROW_BYTES } from '../stored-bytes.ts';
import type { ChangedUserLog } from './changed-user-log.ts';
import type { DatasetCountTable, OwnedCounts } from './dataset-counts.ts';
import { OWNER_BYTES, PlaceReader, userRange } from './event-place.ts';
import type { UserForgetter } from './forget-users.ts';
import type { Interner } from './interner.ts';
import type { Erasure } from './remains-cleaner.ts';
import type { MergeUsersCommand, UpsertRecordsCommand } from './write-protocol.ts';

export interface MergeParts {
  datasetCounts: DatasetCountTable;
  numbers: Interner;
  users: UserForgetter;
  changeLog: ChangedUserLog;
}

export interface RecordMerge {
  hadRecord: boolean;
  knowsInto: boolean;
}

/** Moves the events of `from` to `into`. */
export function eventMover(db: DatabaseSync, { datasetCounts, numbers, users, changeLog }: MergeParts) {
  const select = db.prepare('SELECT place FROM event_place WHERE place > ? AND place < ? LIMIT ?');
  const remove = db.prepare('DELETE FROM event_place WHERE place = ?');
  const insert = db.prepare('INSERT INTO event_place (place) VALUES (?)');
  const update = db.prepare('UPDATE event SET place = ? WHERE seq = ?');

  return (
    { target, from, into, maxEvents }: MergeUsersCommand,
    nowMs: number,
  ): { movedEvents: number; knowsInto: boolean } => {
    const counts = datasetCounts.read(target);
    const { dataset_no } = counts;
    const fromNo = numbers.find(counts, 'user', from);
    if (fromNo === undefined) {
      return { movedEvents: 0, knowsInto: numbers.find(counts, 'user', into) !== undefined };
    }
    const range = userRange(dataset_no, shardOf(from, target.num_shards), fromNo);
    const rows = select.all(range.from, range.to, maxEvents) as { place: Uint8Array }[];
    const intoNo = numbers.numberOf(counts, 'user', into);
    const owner = userRange(dataset_no, shardOf(into, target.num_shards), intoNo).from;
    for (const { place } of rows) {
      const moved = place.slice();
      moved.set(owner.subarray(0, OWNER_BYTES));
      remove.run(place);
      insert.run(moved);
      update.run(moved, new PlaceReader(moved).seq(0));
    }
    counts.version++;
    users.merge(
      counts,
      rows.map(({ place }) => place),
    );
    datasetCounts.write(counts);
    changeLog.note(counts, [fromNo, intoNo], nowMs);
    return { movedEvents: rows.length, knowsInto: true };
  };
}

/** Joins the record of `from` into that of `into`. */
export function recordMerger(
  db: DatabaseSync,
  {
    store,
    datasetCounts,
    erasure,
  }: {
    store: (counts: OwnedCounts, command: UpsertRecordsCommand, nowMs: number) => unknown;
    datasetCounts: DatasetCountTable;
    erasure: Erasure;
  },
) {
  const select = db.prepare('SELECT attributes FROM record WHERE dataset_no = ? AND id = ?');
  const remove = db.prepare(
    `DELETE FROM record WHERE dataset_no = ? AND id = ?
     RETURNING ${RECORD_ROW_BYTES} + octet_length(id) + octet_length(attributes) AS bytes`,
  );

  return ({ userTarget: target, from, into }: MergeUsersCommand, nowMs: number): RecordMerge | 'too-large' => {
    const counts = datasetCounts.read(target);
    const read = (id: string) => select.get(counts.dataset_no, id) as { attributes: string } | undefined;
    const ofFrom = read(from);
    const ofInto = read(into);
    if (ofFrom === undefined) return { hadRecord: false, knowsInto: ofInto !== undefined };
    const attributes = joinAttributes(ofFrom.attributes, ofInto?.attributes ?? null);
    if (attributes === null) return 'too-large';
    // Deleted first, so that the joined record has room.
    const { bytes } = remove.get(counts.dataset_no, from) as { bytes: number };
    erasure.logDue();
    counts.num_records--;
    counts.stored_bytes -= bytes;
    counts.version++;
    // Merged users leave no marks, so changes since an earlier version are unknown from here on.
    counts.changes_from = counts.version;
    const columns = textColumns([{ id: into, attributes }]);
    store(counts, { kind: 'upsert-records', target, columns }, nowMs);
    return { hadRecord: true, knowsInto: true };
  };
}

/**
 * The record comes first: if it is refused, nothing has changed yet. The plan is not checked, because nothing new is stored
 * except rows of ids.
 */
export function joinSteps(
  record: RecordMerge | 'too-large',
  events: () => { movedEvents: number; knowsInto: boolean },
): MergeStep {
  if (record === 'too-large') return record;
  const { movedEvents, knowsInto } = events();
  return { movedEvents, hadRecord: record.hadRecord, knowsInto: knowsInto || record.knowsInto };
}
