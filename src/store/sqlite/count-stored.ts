// Counts the events of the last days that were stored before there were counts; a part of a migration.
import type { DatabaseSync } from 'node:sqlite';
import { MINUTE_MS } from '../../base/durations.ts';
import { COUNTED_MINUTES, TallyLog } from '../tallies/tally-log.ts';
import { MOMENT_BYTES, momentAt, seqsOf } from './event-moment.ts';
import { PlaceReader } from './event-place.ts';
import { tallyWriter } from './write-tallies.ts';

const CHUNK = 50_000;

export function countStoredInSqlite(db: DatabaseSync, nowMs: number): void {
  const tallies = tallyWriter(db);
  const moments = db.prepare(
    `SELECT CAST(group_concat(moment, '') AS BLOB) AS keys
     FROM (SELECT moment FROM event_time WHERE moment > ? AND moment < ? ORDER BY moment LIMIT ${CHUNK})`,
  );
  const place = db.prepare('SELECT place FROM event WHERE seq = ?');
  const datasets = db.prepare('SELECT dataset_no FROM dataset_count').all() as { dataset_no: number }[];
  for (const { dataset_no } of datasets) {
    const to = momentAt(dataset_no + 1, 0);
    for (let after = momentAt(dataset_no, nowMs - COUNTED_MINUTES * MINUTE_MS); ; ) {
      const { keys } = moments.get(after, to) as { keys: Uint8Array | null };
      if (keys === null) break;
      const log = new TallyLog(nowMs);
      for (const seq of seqsOf(keys)) {
        const read = new PlaceReader((place.get(seq) as { place: Uint8Array }).place);
        log.add({ ts: read.ts(0), item: read.item(0), type: read.type(0), value: read.value(0) }, 1);
      }
      const counted = log.take();
      if (counted !== null) tallies.add(dataset_no, [counted], nowMs);
      after = keys.slice(-MOMENT_BYTES);
    }
  }
}
