// Writes the log of changed users (store/sql/changed-users.ts), with what the write changed of the counts (store/tallies), inside
// the writer's transaction.
import type { DatabaseSync } from 'node:sqlite';
import { packUsers, prunedBefore } from '../sql/changed-users.ts';
import type { TallyLog } from '../tallies/tally-log.ts';
import { FOLD_EVERY } from '../tallies/tally-runs.ts';
import { tallyWriter } from './write-tallies.ts';

export interface ChangedUserLog {
  note(
    dataset: { dataset_no: number; version: number },
    users: Iterable<number>,
    nowMs: number,
    tallies?: TallyLog,
  ): void;
}

export function changedUserLog(db: DatabaseSync): ChangedUserLog {
  const insert = db.prepare('INSERT INTO event_change (dataset_no, version, users, counts) VALUES (?, ?, ?, ?)');
  const prune = db.prepare('DELETE FROM event_change WHERE dataset_no = ? AND version <= ?');
  const tallies = tallyWriter(db);
  return {
    note({ dataset_no, version }, users, nowMs, counted) {
      insert.run(dataset_no, version, packUsers(users), counted?.take() ?? null);
      if (version % FOLD_EVERY === 0) tallies.fold({ dataset_no, version }, nowMs);
      const before = prunedBefore(version);
      if (before !== null) prune.run(dataset_no, before);
    },
  };
}
