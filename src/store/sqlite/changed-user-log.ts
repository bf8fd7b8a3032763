// Writes the log of changed users (store/changed-users.ts) inside the writer's transaction.
import type { DatabaseSync } from 'node:sqlite';
import { packUsers, prunedBefore } from '../changed-users.ts';

export interface ChangedUserLog {
  note(dataset: { dataset_no: number; version: number }, users: Iterable<number>): void;
}

export function changedUserLog(db: DatabaseSync): ChangedUserLog {
  const insert = db.prepare('INSERT INTO event_change (dataset_no, version, users) VALUES (?, ?, ?)');
  const prune = db.prepare('DELETE FROM event_change WHERE dataset_no = ? AND version <= ?');
  return {
    note({ dataset_no, version }, users) {
      insert.run(dataset_no, version, packUsers(users));
      const before = prunedBefore(version);
      if (before !== null) prune.run(dataset_no, before);
    },
  };
}
