// Puts events into a SQLite file that nobody has open, as upserts would have written them, but in sorted runs and without the
// safety that only a running service needs: some hundred thousand a second at any size.
import { DatabaseSync } from 'node:sqlite';
import { INTERNED_KIND_NO } from '../src/store/event-store.ts';
import { shardOf } from '../src/store/shard-of.ts';
import { datasetCountTable } from '../src/store/sqlite/dataset-counts.ts';
import { PlaceEncoder } from '../src/store/sqlite/event-place.ts';
import type { WriteTarget } from '../src/store/sqlite/write-protocol.ts';

export interface PlantedEvents {
  dataset: WriteTarget;
  eventType: string;
  userIds: { length: number; at(n: number): string | undefined };
  itemIds: { length: number; at(n: number): string | undefined };
  /** numbers of users and items, in the order of writing */
  events: Iterable<{ user: number; item: number; ts: number }>;
}

/** The id of the n-th planted event. */
export const plantedEventId = (n: number): string => `event-${String(n).padStart(9, '0')}`;

/** Runs `plant` on the file in one unsafe, fast transaction. */
export function withUnsafeDatabase(file: string, plant: (db: DatabaseSync) => void): void {
  const db = new DatabaseSync(file);
  db.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -500000; PRAGMA temp_store = FILE');
  db.exec('BEGIN');
  plant(db);
  db.exec('COMMIT');
  db.exec('PRAGMA journal_mode = WAL');
  db.close();
}

/** Into an event dataset that has none yet, in a database that has none yet. Returns how many there were. */
export function plantEvents(db: DatabaseSync, { dataset, eventType, userIds, itemIds, events }: PlantedEvents): number {
  const table = datasetCountTable(db);
  const counts = table.read(dataset);
  const { dataset_no } = counts;
  const intern = db.prepare('INSERT INTO interned (dataset_no, kind, id, no) VALUES (?, ?, ?, ?)');
  intern.run(dataset_no, INTERNED_KIND_NO.type, eventType, 0);
  for (let n = 0; n < itemIds.length; n++) intern.run(dataset_no, INTERNED_KIND_NO.item, itemIds.at(n)!, n);
  const shards = new Uint32Array(userIds.length);
  for (let n = 0; n < userIds.length; n++) {
    const id = userIds.at(n)!;
    intern.run(dataset_no, INTERNED_KIND_NO.user, id, n);
    shards[n] = shardOf(id, dataset.num_shards);
  }
  const insert = db.prepare('INSERT INTO event (seq, dataset_no, event_id, place) VALUES (?, ?, ?, ?)');
  const place = new PlaceEncoder();
  let seq = 0;
  for (const { user, item, ts } of events) {
    seq++;
    place.owner(dataset_no, shards[user], user).time(ts, seq).payload(item, 0, 1);
    insert.run(seq, dataset_no, plantedEventId(seq), place.bytes);
  }
  db.exec('INSERT INTO event_place SELECT place FROM event ORDER BY place');
  // The moment of a place, see event-moment.ts.
  db.exec('INSERT INTO event_time SELECT CAST(substr(place, 1, 4) || substr(place, 12, 13) AS BLOB) FROM event');
  table.write({
    ...counts,
    num_records: seq,
    version: 1,
    num_users: userIds.length,
    num_items: itemIds.length,
    num_types: 1,
  });
  return seq;
}
