// How far streams have been read into a dataset; see stream-store.ts.
import type { Migration } from './migration.ts';

const sql = `
CREATE TABLE stream_position (
  dataset_id TEXT NOT NULL REFERENCES dataset (dataset_id) ON DELETE CASCADE,
  stream TEXT NOT NULL,
  partition_no BIGINT NOT NULL,
  next_offset BIGINT NOT NULL,
  messages BIGINT NOT NULL,
  skipped BIGINT NOT NULL,
  PRIMARY KEY (dataset_id, stream, partition_no)
);
`;

export const streamPositions: Migration = {
  version: 28,
  name: 'stream positions',
  sql: { sqlite: sql, postgres: sql },
};
