// The counters of a dataset, on the writer's side: read at the start of a command, changed in memory, written back at its end,
// all inside one transaction. That makes counts exact and cheap, and capacity a comparison.
import type { DatabaseSync } from 'node:sqlite';
import { AppError } from '../../errors.ts';
import type { WriteTarget } from './write-protocol.ts';

export interface DatasetCounts {
  dataset_no: number;
  num_records: number;
  version: number;
  changes_from: number;
  num_users: number;
  num_items: number;
  num_types: number;
  num_deletions: number;
  erasures: number;
}

export interface DatasetCountTable {
  /** Makes the row at first use. Throws DATASET_NOT_FOUND when the dataset was deleted since the call was checked. */
  read(target: WriteTarget): DatasetCounts;
  write(counts: DatasetCounts): void;
}

export function datasetCountTable(db: DatabaseSync): DatasetCountTable {
  const exists = db.prepare('SELECT 1 FROM dataset WHERE dataset_id = ?');
  const select = db.prepare(
    `SELECT dataset_no, num_records, version, changes_from, num_users, num_items, num_types, num_deletions, erasures
     FROM dataset_count WHERE dataset_id = ?`,
  );
  const insert = db.prepare('INSERT INTO dataset_count (dataset_id, num_shards) VALUES (?, ?)');
  const update = db.prepare(
    `UPDATE dataset_count
     SET num_records = ?, version = ?, changes_from = ?, num_users = ?, num_items = ?, num_types = ?, num_deletions = ?,
       erasures = ?
     WHERE dataset_no = ?`,
  );
  return {
    read({ dataset_id, num_shards }) {
      if (!exists.get(dataset_id)) throw new AppError('DATASET_NOT_FOUND', `There is no dataset ${dataset_id}.`);
      const found = select.get(dataset_id);
      if (found) return found as unknown as DatasetCounts;
      insert.run(dataset_id, num_shards);
      return select.get(dataset_id) as unknown as DatasetCounts;
    },
    write(counts) {
      const { dataset_no, num_records, version, changes_from, num_users, num_items, num_types } = counts;
      const { num_deletions, erasures } = counts;
      const values = [num_records, version, changes_from, num_users, num_items, num_types, num_deletions, erasures];
      update.run(...values, dataset_no);
    },
  };
}
