// How many bytes each dataset and each account stores, see store/stored-bytes.ts, and how many a plan allows: 100 GiB, or twice
// what an account has already.
import type { Migration } from './migration.ts';

const MAX_STORAGE_BYTES = 100 * 2 ** 30;

const sql = (greatest: string): string => `
ALTER TABLE dataset_count ADD COLUMN stored_bytes BIGINT NOT NULL DEFAULT 0;
UPDATE dataset_count SET stored_bytes =
  COALESCE((SELECT SUM(64 + octet_length(id) + octet_length(attributes)) FROM record r
    WHERE r.dataset_no = dataset_count.dataset_no), 0) +
  COALESCE((SELECT SUM(160 + octet_length(event_id) + COALESCE(octet_length(attributes), 0)) FROM event e
    WHERE e.dataset_no = dataset_count.dataset_no), 0) +
  COALESCE((SELECT SUM(64 + octet_length(id)) FROM interned i WHERE i.dataset_no = dataset_count.dataset_no), 0) +
  COALESCE((SELECT SUM(64 + octet_length(id)) FROM record_deletion d WHERE d.dataset_no = dataset_count.dataset_no), 0)
WHERE dataset_id IN (SELECT dataset_id FROM dataset);

ALTER TABLE account ADD COLUMN storage_bytes BIGINT NOT NULL DEFAULT 0;
UPDATE account SET storage_bytes = COALESCE((SELECT SUM(c.stored_bytes) FROM dataset_count c
  JOIN dataset d ON d.dataset_id = c.dataset_id WHERE d.account_id = account.account_id), 0);
ALTER TABLE account ADD COLUMN max_storage_bytes BIGINT NOT NULL DEFAULT ${MAX_STORAGE_BYTES};
UPDATE account SET max_storage_bytes = ${greatest}(${MAX_STORAGE_BYTES}, 2 * storage_bytes);
`;

export const storedBytes: Migration = {
  version: 11,
  name: 'stored bytes',
  sql: { sqlite: sql('MAX'), postgres: sql('GREATEST') },
};
