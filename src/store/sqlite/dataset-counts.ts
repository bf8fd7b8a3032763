// The counters of a dataset, on the writer's side: read at the start of a command, changed in memory, written back at its end,
// all inside one transaction. That makes counts exact and cheap, and capacity a comparison. The bytes of the account change
// together with those of its dataset.
import type { DatabaseSync } from 'node:sqlite';
import { AppError } from '../../errors.ts';
import type { DatasetCounts } from '../dataset-counts.ts';
import type { WriteTarget } from './write-protocol.ts';

export interface OwnedCounts extends DatasetCounts {
  readonly account_id: string;
  /** value when the row was read */
  readonly bytes_before: number;
}

export interface DatasetCountTable {
  /** Makes the row at first use. Throws DATASET_NOT_FOUND when the dataset was deleted since the call was checked. */
  read(target: WriteTarget): OwnedCounts;
  write(counts: OwnedCounts): void;
  /** How many more bytes the account's plan allows, and how many in total. */
  room(owner: Pick<OwnedCounts, 'account_id'>): { bytes: number; maxBytes: number };
}

export function datasetCountTable(db: DatabaseSync): DatasetCountTable {
  const owner = db.prepare('SELECT account_id FROM dataset WHERE dataset_id = ?');
  const select = db.prepare(
    `SELECT dataset_no, num_records, version, changes_from, num_users, num_items, num_types, num_deletions, erasures,
       merges, stored_bytes, stored_bytes AS bytes_before, shown_from_ts, shown_to_ts
     FROM dataset_count WHERE dataset_id = ?`,
  );
  const addToAccount = db.prepare('UPDATE account SET storage_bytes = storage_bytes + ? WHERE account_id = ?');
  const account = db.prepare(
    `SELECT max_storage_bytes - storage_bytes AS bytes, max_storage_bytes AS maxBytes FROM account WHERE account_id = ?`,
  );
  const insert = db.prepare('INSERT INTO dataset_count (dataset_id, num_shards) VALUES (?, ?)');
  const update = db.prepare(
    `UPDATE dataset_count
     SET num_records = ?, version = ?, changes_from = ?, num_users = ?, num_items = ?, num_types = ?, num_deletions = ?,
       erasures = ?, merges = ?, stored_bytes = ?, shown_from_ts = ?, shown_to_ts = ?
     WHERE dataset_no = ?`,
  );
  return {
    read({ dataset_id, num_shards }) {
      const owned = owner.get(dataset_id) as { account_id: string } | undefined;
      if (!owned) throw new AppError('DATASET_NOT_FOUND', `Dataset ${dataset_id} was not found.`);
      let found = select.get(dataset_id);
      if (!found) {
        insert.run(dataset_id, num_shards);
        found = select.get(dataset_id);
      }
      return { ...found, ...owned } as unknown as OwnedCounts;
    },
    write(counts) {
      const { dataset_no, num_records, version, changes_from, num_users, num_items, num_types } = counts;
      const { num_deletions, erasures, merges, stored_bytes, bytes_before } = counts;
      const values = [num_records, version, changes_from, num_users, num_items, num_types, num_deletions, erasures];
      update.run(...values, merges, stored_bytes, counts.shown_from_ts, counts.shown_to_ts, dataset_no);
      if (stored_bytes !== bytes_before) addToAccount.run(stored_bytes - bytes_before, counts.account_id);
    },
    room: ({ account_id }) =>
      (account.get(account_id) ?? { bytes: 0, maxBytes: 0 }) as { bytes: number; maxBytes: number },
  };
}
