// Upserts and deletes events inside the writer's transaction. `event`, `event_place` and `event_time` always change together.
import type { DatabaseSync } from 'node:sqlite';
import { traced } from '../../base/trace.ts';
import { capacityOf } from '../../domain/dataset.ts';
import { type EventColumns, textsOf } from '../../domain/record-columns.ts';
import type { DatasetCounts } from '../dataset-counts.ts';
import {
  type EventUpsert,
  FIRST_SEEN_FROM_EVENTS,
  type FirstSeenIds,
  type InternedKind,
  MAX_FIRST_SEEN,
} from '../event-store.ts';
import type { UpsertOutcome } from '../record-store.ts';
import { shardOf } from '../shard-of.ts';
import { EVENT_BYTES_SQL } from '../sql/event-bytes.ts';
import { eventRowBytes, idRowBytes, mostEventBytes, storageExceeded } from '../stored-bytes.ts';
import { type CountedEvent, TallyLog } from '../tallies/tally-log.ts';
import { changedUserLog } from './changed-user-log.ts';
import { datasetCountTable } from './dataset-counts.ts';
import { MOMENT_BYTES, momentOf, seqsOf } from './event-moment.ts';
import { PlaceEncoder, PlaceReader } from './event-place.ts';
import { userForgetter } from './forget-users.ts';
import { interner } from './interner.ts';
import { eventMover } from './merge-users.ts';
import type { SqliteOutcomeSteps } from './outcome-steps.ts';
import type { Erasure } from './remains-cleaner.ts';
import { touchedLists } from './touched-lists.ts';
import type {
  DeleteEventsCommand,
  DeleteMomentsCommand,
  DeletePlacesCommand,
  MergeUsersCommand,
  UpsertEventsCommand,
  WriteTarget,
} from './write-protocol.ts';

interface RemovedEvent {
  place: Uint8Array;
  recommendation: string | null;
  bytes: number;
}

const INTERNED_KINDS = ['user', 'item', 'type'] as const;

export interface EventWriter {
  upsert(command: UpsertEventsCommand, nowMs: number): EventUpsert;
  delete(command: DeleteEventsCommand, nowMs: number): number;
  deletePlaces(command: DeletePlacesCommand, nowMs: number): number;
  deleteMoments(command: DeleteMomentsCommand, nowMs: number): number;
  /** Moves events of one user to another. */
  move(command: MergeUsersCommand, nowMs: number): { movedEvents: number; knowsInto: boolean };
  /** Must be called when a transaction or a savepoint has ended. */
  ended(committed: boolean): void;
}

function countedOf(place: Uint8Array): CountedEvent {
  const read = new PlaceReader(place);
  return { ts: read.ts(0), item: read.item(0), type: read.type(0), value: read.value(0) };
}

export function eventWriter(db: DatabaseSync, lists: SqliteOutcomeSteps, erasure: Erasure): EventWriter {
  const datasetCounts = datasetCountTable(db);
  const numbers = interner(db);
  const place = new PlaceEncoder();
  const lastSeq = db.prepare('SELECT coalesce(max(seq), 0) AS seq FROM event');
  const removed = `place, recommendation, ${EVENT_BYTES_SQL}`;
  const select = db.prepare(`SELECT seq, ${removed} FROM event WHERE dataset_no = ? AND event_id = ?`);
  const insert = db.prepare(
    `INSERT INTO event (seq, dataset_no, event_id, place, attributes, recommendation) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (dataset_no, event_id) DO NOTHING`,
  );
  const insertPlace = db.prepare('INSERT INTO event_place (place) VALUES (?)');
  const insertMoment = db.prepare('INSERT INTO event_time (moment) VALUES (?)');
  const remove = db.prepare(`DELETE FROM event WHERE seq = ? RETURNING ${removed}`);
  const removePlace = db.prepare('DELETE FROM event_place WHERE place = ?');
  const removeMoment = db.prepare('DELETE FROM event_time WHERE moment = ?');
  const moment = new Uint8Array(MOMENT_BYTES);
  const changeLog = changedUserLog(db);
  const users = userForgetter(db, erasure);
  const listsOfBatch = touchedLists(db, lists);

  /** Returns the event with this id, which is removed, or null if there is none. */
  function removeById(datasetNo: number, eventId: string): RemovedEvent | null {
    const found = select.get(datasetNo, eventId) as unknown as (RemovedEvent & { seq: number }) | undefined;
    if (found === undefined) return null;
    remove.get(found.seq);
    removePlace.run(found.place);
    removeMoment.run(momentOf(found.place, moment));
    return found;
  }

  /** `deleteRow` returns the event, or null if it was deleted already. */
  function deleteEach(
    target: WriteTarget,
    nowMs: number,
    rows: number,
    deleteRow: (row: number, datasetNo: number) => RemovedEvent | null,
  ): number {
    const counts = datasetCounts.read(target);
    const deleted: Uint8Array[] = [];
    const tallies = new TallyLog(nowMs);
    const touched = listsOfBatch(target, counts, nowMs);
    for (let row = 0; row < rows; row++) {
      const removed = deleteRow(row, counts.dataset_no);
      if (removed === null) continue;
      deleted.push(removed.place);
      touched.gone(removed);
      tallies.add(countedOf(removed.place), -1);
      counts.stored_bytes -= removed.bytes;
    }
    if (deleted.length === 0) return 0;
    counts.num_records -= deleted.length;
    counts.version++;
    users.forget(counts, deleted);
    datasetCounts.write(counts);
    touched.count();
    changeLog.note(
      counts,
      deleted.map((place) => new PlaceReader(place).user(0)),
      nowMs,
      tallies,
    );
    return deleted.length;
  }

  /** The number of bytes that these rows of the batch will add, if the dataset has room for them. */
  function growthOf(
    counts: DatasetCounts,
    columns: EventColumns,
    rows: readonly number[],
    ids: Record<InternedKind | 'event', readonly string[]>,
  ): number {
    let grown = 0;
    // Of several events with one id the last remains.
    for (const [eventId, row] of new Map(rows.map((row) => [ids.event[row], row]))) {
      const replaced = select.get(counts.dataset_no, eventId) as { bytes: number } | undefined;
      grown += eventRowBytes(columns, row) - (replaced?.bytes ?? 0);
    }
    for (const kind of INTERNED_KINDS) {
      const named = new Set(rows.map((row) => ids[kind][row]));
      for (const id of named) if (numbers.find(counts, kind, id) === undefined) grown += idRowBytes(id);
    }
    return grown;
  }

  return {
    move: eventMover(db, { datasetCounts, numbers, users, changeLog }),

    ended(committed) {
      lists.ended();
      if (!committed) numbers.forget();
    },

    upsert({ target, columns }, nowMs) {
      const { ts, values } = columns;
      const eventIds = textsOf(columns.eventIds);
      const userIds = textsOf(columns.userIds);
      const itemIds = textsOf(columns.itemIds);
      const types = textsOf(columns.types);
      const attributes = textsOf(columns.attributes).map((json) => (json === '' ? null : json));
      const counts = datasetCounts.read(target);
      const touched = listsOfBatch(target, counts, nowMs);
      const recommendations = columns.recommendations.bytes.length === 0 ? null : textsOf(columns.recommendations);
      const isForeign = (row: number): boolean => !!recommendations?.[row] && touched.isForeign(recommendations[row]);
      const { bytes: room, maxBytes } = datasetCounts.room(counts);
      if (mostEventBytes(columns) > room) {
        const ids = { event: eventIds, user: userIds, item: itemIds, type: types };
        const own = [...eventIds.keys()].filter((row) => !isForeign(row));
        if (growthOf(counts, columns, own, ids) > Math.max(0, room)) throw storageExceeded(maxBytes);
      }
      const capacity = capacityOf(target);
      const { dataset_no } = counts;
      let seq = (lastSeq.get() as { seq: number }).seq;
      const changed: number[] = [];
      const tallies = new TallyLog(nowMs);
      /** places that events left when they moved to another user */
      const left: Uint8Array[] = [];
      const tellsNew = counts.num_records >= FIRST_SEEN_FROM_EVENTS;
      const newItems: FirstSeenIds = { ids: [], before: counts.num_items };
      const newTypes: FirstSeenIds = { ids: [], before: counts.num_types };
      const outcomes = eventIds.map((eventId, i): UpsertOutcome => {
        if (isForeign(i)) return 'foreign';
        // In a full dataset only a replacement is possible. Otherwise most events are new, and the insert tells.
        const isFull = counts.num_records >= capacity;
        if (isFull && !select.get(dataset_no, eventId)) return 'full';
        const recommendation = recommendations?.[i] || null;
        const user = numbers.numberOf(counts, 'user', userIds[i]);
        const { num_items, num_types } = counts;
        const item = numbers.numberOf(counts, 'item', itemIds[i]);
        const type = numbers.numberOf(counts, 'type', types[i]);
        if (counts.num_items > num_items && newItems.ids.length < MAX_FIRST_SEEN) {
          newItems.ids.push({ row: i, id: itemIds[i] });
        }
        if (counts.num_types > num_types && newTypes.ids.length < MAX_FIRST_SEEN) {
          newTypes.ids.push({ row: i, id: types[i] });
        }
        place.owner(dataset_no, shardOf(userIds[i], target.num_shards), user).time(ts[i], ++seq);
        place.payload(item, type, values[i]);
        if (insert.run(seq, dataset_no, eventId, place.bytes, attributes[i], recommendation).changes === 0) {
          const replaced = removeById(dataset_no, eventId)!;
          const owner = new PlaceReader(replaced.place).user(0);
          if (owner !== user) left.push(replaced.place);
          counts.stored_bytes -= replaced.bytes;
          changed.push(owner);
          tallies.add(countedOf(replaced.place), -1);
          touched.gone(replaced);
          insert.run(seq, dataset_no, eventId, place.bytes, attributes[i], recommendation);
        } else {
          counts.num_records++;
        }
        counts.stored_bytes += eventRowBytes(columns, i);
        insertPlace.run(place.bytes);
        insertMoment.run(momentOf(place.bytes, moment));
        changed.push(user);
        tallies.add({ ts: ts[i], item, type, value: values[i] }, 1);
        touched.stored(
          { user_id: userIds[i], item_id: itemIds[i], event_type: types[i], ts: ts[i], value: values[i] },
          recommendation,
        );
        return 'stored';
      });
      counts.version++;
      if (left.length > 0) users.forget(counts, left);
      datasetCounts.write(counts);
      traced('count outcomes', () => touched.count());
      traced('count top lists', () => changeLog.note(counts, changed, nowMs, tallies));
      const hasNew = tellsNew && (newItems.ids.length > 0 || newTypes.ids.length > 0);
      return { outcomes, firstSeen: hasNew ? { items: newItems, types: newTypes } : null };
    },

    delete({ target, eventIds }, nowMs) {
      return deleteEach(target, nowMs, eventIds.length, (row, datasetNo) => removeById(datasetNo, eventIds[row]));
    },

    deletePlaces({ target, places }, nowMs) {
      const doomed = new PlaceReader(places);
      return deleteEach(target, nowMs, doomed.length, (row) => {
        if (removePlace.run(doomed.bytes(row)).changes === 0) return null;
        removeMoment.run(momentOf(doomed.bytes(row), moment));
        return remove.get(doomed.seq(row)) as unknown as RemovedEvent;
      });
    },

    deleteMoments({ target, moments }, nowMs) {
      const seqs = seqsOf(moments);
      return deleteEach(target, nowMs, seqs.length, (row) => {
        if (removeMoment.run(moments.subarray(row * MOMENT_BYTES, (row + 1) * MOMENT_BYTES)).changes === 0) return null;
        const removed = remove.get(seqs[row]) as unknown as RemovedEvent;
        removePlace.run(removed.place);
        return removed;
      });
    },
  };
}
