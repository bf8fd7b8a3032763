// Which users' events each write changed: what lets every node keep rankings and know which of them are out of date.
import type { Migration } from './migration.ts';

export const changedUsers: Migration = {
  version: 5,
  name: 'changed users',
  sql: {
    sqlite: `
CREATE TABLE event_change (
  dataset_no INTEGER NOT NULL,
  version INTEGER NOT NULL,
  users BLOB,
  PRIMARY KEY (dataset_no, version)
) WITHOUT ROWID;
`,
    postgres: `
CREATE TABLE event_change (
  dataset_no INTEGER NOT NULL,
  version BIGINT NOT NULL,
  users BYTEA,
  PRIMARY KEY (dataset_no, version)
);
`,
  },
};
