// Deleted items are remembered until they are written again: at most one mark per id, and none for an id that has a record.
// Deleted users leave no mark, so that nothing of a person stays.
import type { Migration } from './migration.ts';

const sql = `
DELETE FROM record_deletion WHERE dataset_no IN
  (SELECT c.dataset_no FROM dataset_count c JOIN dataset d ON d.dataset_id = c.dataset_id WHERE d.kind = 'user');
DELETE FROM record_deletion WHERE (dataset_no, version) NOT IN
  (SELECT dataset_no, MAX(version) FROM record_deletion GROUP BY dataset_no, id);
DELETE FROM record_deletion WHERE EXISTS
  (SELECT 1 FROM record r WHERE r.dataset_no = record_deletion.dataset_no AND r.id = record_deletion.id);
CREATE UNIQUE INDEX record_deletion_by_id ON record_deletion (dataset_no, id);
ALTER TABLE dataset_count ADD COLUMN num_deletions BIGINT NOT NULL DEFAULT 0;
UPDATE dataset_count SET num_deletions =
  (SELECT COUNT(*) FROM record_deletion r WHERE r.dataset_no = dataset_count.dataset_no);
UPDATE dataset_count SET changes_from = version
  WHERE dataset_id IN (SELECT dataset_id FROM dataset WHERE kind = 'user');
`;

export const rememberedDeletions: Migration = {
  version: 6,
  name: 'remembered deletions',
  sql: { sqlite: sql, postgres: sql },
};
