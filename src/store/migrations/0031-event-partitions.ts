// PostgreSQL keeps events in partitions by ranges of shards, so that shards can move to another server; see
// postgres/event-partitions.ts. The table of events becomes the first partition, with all shards: nothing is copied or read,
// so this takes milliseconds whatever the number of events. SQLite has one file and changes nothing.
//
// `pending_events` counts what waits in `event_outbox` for another server; see postgres/outbox.ts.
import type { Migration } from './migration.ts';

export const eventPartitions: Migration = {
  version: 31,
  name: 'event partitions',
  sql: {
    sqlite: '',
    postgres: `
ALTER TABLE event RENAME TO event_p0;
CREATE TABLE event (LIKE event_p0) PARTITION BY RANGE (place);
ALTER TABLE event ATTACH PARTITION event_p0 FOR VALUES FROM (MINVALUE) TO (MAXVALUE);
CREATE TABLE event_outbox (
  LIKE event,
  gone BOOLEAN NOT NULL DEFAULT false
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);
CREATE INDEX event_outbox_by_dataset ON event_outbox (dataset_no);
ALTER TABLE dataset_count ADD COLUMN pending_events BIGINT NOT NULL DEFAULT 0;
`,
  },
};
