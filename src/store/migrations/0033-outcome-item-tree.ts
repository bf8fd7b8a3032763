// SQLite: an item of a list is one entry of one tree, not a row and an entry of an index that says where the row is. Writing one
// costs less, and every event with the id of a list writes one.
import type { Migration } from './migration.ts';

const COLUMNS =
  'dataset_no, created_ms, random, item_hash, user_hash, series_no, shown_ts, events, targets, assists, assisted_targets, assist_hours';

export const outcomeItemTree: Migration = {
  version: 33,
  name: 'outcome item tree',
  sql: {
    sqlite: `
DROP INDEX outcome_item_by_user;
ALTER TABLE outcome_item RENAME TO outcome_item_before;
CREATE TABLE outcome_item (
  dataset_no INTEGER NOT NULL,
  created_ms BIGINT NOT NULL,
  random BIGINT NOT NULL,
  item_hash BIGINT NOT NULL,
  user_hash BIGINT NOT NULL,
  series_no INTEGER NOT NULL,
  shown_ts BIGINT,
  events INTEGER NOT NULL,
  targets INTEGER NOT NULL,
  assists INTEGER NOT NULL,
  assisted_targets INTEGER NOT NULL,
  assist_hours INTEGER,
  PRIMARY KEY (dataset_no, created_ms, random, item_hash)
) WITHOUT ROWID;
INSERT INTO outcome_item (${COLUMNS}) SELECT ${COLUMNS} FROM outcome_item_before
  ORDER BY dataset_no, created_ms, random, item_hash;
DROP TABLE outcome_item_before;
CREATE INDEX outcome_item_by_user ON outcome_item (dataset_no, user_hash, item_hash) WHERE shown_ts IS NOT NULL;
`,
    postgres: '',
  },
};
