// Upserts and deletes events inside the writer's transaction. `event` and `event_place` always change together.
import type { DatabaseSync } from 'node:sqlite';
import { capacityOf } from '../../domain/dataset.ts';
import type { UpsertOutcome } from '../record-store.ts';
import { shardOf } from '../shard-of.ts';
import { datasetCountTable } from './dataset-counts.ts';
import { PlaceEncoder, PlaceReader } from './event-key.ts';
import { interner } from './interner.ts';
import type { DeleteEventsCommand, UpsertEventsCommand } from './write-protocol.ts';

export interface EventWriter {
  upsert(command: UpsertEventsCommand): UpsertOutcome[];
  delete(command: DeleteEventsCommand): number;
  /** Must be called when a transaction was rolled back. */
  rolledBack(): void;
}

export function eventWriter(db: DatabaseSync): EventWriter {
  const datasetCounts = datasetCountTable(db);
  const numbers = interner(db);
  const place = new PlaceEncoder();
  const lastSeq = db.prepare('SELECT coalesce(max(seq), 0) AS seq FROM event');
  const select = db.prepare('SELECT seq, place FROM event WHERE dataset_no = ? AND event_id = ?');
  const insert = db.prepare('INSERT INTO event (seq, dataset_no, event_id, place, attributes) VALUES (?, ?, ?, ?, ?)');
  const insertPlace = db.prepare('INSERT INTO event_place (place) VALUES (?)');
  const remove = db.prepare('DELETE FROM event WHERE seq = ?');
  const removePlace = db.prepare('DELETE FROM event_place WHERE place = ?');

  return {
    rolledBack: () => numbers.forget(),

    upsert({ target, eventIds, userIds, itemIds, types, ts, values, attributes }) {
      const counts = datasetCounts.read(target);
      const capacity = capacityOf(target);
      const { dataset_no } = counts;
      let seq = (lastSeq.get() as { seq: number }).seq;
      const outcomes = eventIds.map((eventId, i): UpsertOutcome => {
        const replaced = select.get(dataset_no, eventId) as { seq: number; place: Uint8Array } | undefined;
        if (replaced) {
          remove.run(replaced.seq);
          removePlace.run(replaced.place);
        } else if (counts.num_records >= capacity) {
          return 'full';
        } else {
          counts.num_records++;
        }
        const user = numbers.numberOf(counts, 'user', userIds[i]);
        const item = numbers.numberOf(counts, 'item', itemIds[i]);
        const type = numbers.numberOf(counts, 'type', types[i]);
        place.encode(dataset_no, shardOf(userIds[i], target.num_shards), user, ts[i], ++seq);
        place.payload(item, type, values[i]);
        insert.run(seq, dataset_no, eventId, place.bytes, attributes[i]);
        insertPlace.run(place.bytes);
        return 'stored';
      });
      counts.version++;
      datasetCounts.write(counts);
      return outcomes;
    },

    delete({ target, places }) {
      const counts = datasetCounts.read(target);
      const doomed = new PlaceReader(places);
      let deleted = 0;
      for (let row = 0; row < doomed.length; row++) {
        if (removePlace.run(doomed.bytes(row)).changes === 0) continue;
        remove.run(doomed.seq(row));
        deleted++;
      }
      counts.num_records -= deleted;
      counts.version++;
      datasetCounts.write(counts);
      return deleted;
    },
  };
}
