// Folds the log of counts into runs inside the writer's transaction; see store/tallies/tally-runs.ts.
import type { DatabaseSync } from 'node:sqlite';
import { FOLD_EVERY, foldLogs, joinRuns, oldestBucket, RUN_GROWTH, SPAN_MINUTES } from '../tallies/tally-runs.ts';

export interface TallyWriter {
  /** Folds the logs of the last FOLD_EVERY versions into tallies. */
  fold(dataset: { dataset_no: number; version: number }, nowMs: number): void;
  /** Adds logs that are not in the log of changes. */
  add(datasetNo: number, logs: readonly Uint8Array[], nowMs: number): void;
}

interface Run {
  run: number;
  entries: Uint8Array;
}

export function tallyWriter(db: DatabaseSync): TallyWriter {
  const logs = db.prepare(
    'SELECT counts FROM event_change WHERE dataset_no = ? AND version > ? AND version <= ? AND counts IS NOT NULL',
  );
  const ofBucket = 'dataset_no = ? AND span = ? AND bucket = ?';
  const lastRun = db.prepare(`SELECT run, entries FROM event_tally WHERE ${ofBucket} ORDER BY run DESC LIMIT 1`);
  const insert = db.prepare('INSERT INTO event_tally (dataset_no, span, bucket, run, entries) VALUES (?, ?, ?, ?, ?)');
  const remove = db.prepare(`DELETE FROM event_tally WHERE ${ofBucket} AND run = ?`);
  const removeOld = db.prepare('DELETE FROM event_tally WHERE dataset_no = ? AND span = ? AND bucket < ?');

  const writer: TallyWriter = {
    add(datasetNo, added, nowMs) {
      for (const { span, bucket, entries: fresh } of foldLogs(added, nowMs)) {
        let entries = fresh;
        let last = lastRun.get(datasetNo, span, bucket) as Run | undefined;
        while (last !== undefined && last.entries.length <= RUN_GROWTH * entries.length) {
          remove.run(datasetNo, span, bucket, last.run);
          entries = joinRuns(last.entries, entries);
          last = lastRun.get(datasetNo, span, bucket) as Run | undefined;
        }
        if (entries.length > 0) insert.run(datasetNo, span, bucket, (last?.run ?? -1) + 1, entries);
      }
    },
    fold({ dataset_no, version }, nowMs) {
      const rows = logs.all(dataset_no, version - FOLD_EVERY, version) as { counts: Uint8Array }[];
      writer.add(
        dataset_no,
        rows.map(({ counts }) => counts),
        nowMs,
      );
      for (const span of SPAN_MINUTES.keys()) removeOld.run(dataset_no, span, oldestBucket(span, nowMs));
    },
  };
  return writer;
}
