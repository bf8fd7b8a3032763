// Counts of events by item, type and time, see store/tallies: what each write changed, in its entry of `event_change`, and the
// runs that these are folded into. Events of the last 31 days are counted here, once. And when a record was first written:
// those that are there already count as old.
import type { Migration } from './migration.ts';

const shared = `
ALTER TABLE record ADD COLUMN created_ts BIGINT NOT NULL DEFAULT 0;
CREATE INDEX record_by_creation ON record (dataset_no, created_ts);
`;

export const eventTallies: Migration = {
  version: 16,
  name: 'event tallies',
  sql: {
    sqlite: `
ALTER TABLE event_change ADD COLUMN counts BLOB;
CREATE TABLE event_tally (
  dataset_no INTEGER NOT NULL,
  span INTEGER NOT NULL,
  bucket INTEGER NOT NULL,
  run INTEGER NOT NULL,
  entries BLOB NOT NULL,
  PRIMARY KEY (dataset_no, span, bucket, run)
);
${shared}`,
    postgres: `
ALTER TABLE event_change ADD COLUMN counts BYTEA;
CREATE TABLE event_tally (
  dataset_no INTEGER NOT NULL,
  span SMALLINT NOT NULL,
  bucket BIGINT NOT NULL,
  run INTEGER NOT NULL,
  entries BYTEA NOT NULL,
  PRIMARY KEY (dataset_no, span, bucket, run)
);
${shared}`,
  },
  fill: 'count stored events',
};
