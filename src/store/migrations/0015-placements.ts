// Placements as they hold, and every version of their definitions.
import type { Migration } from './migration.ts';

const sql = `
CREATE TABLE placement (
  project_id TEXT NOT NULL,
  name TEXT NOT NULL,
  account_id TEXT NOT NULL,
  created_ts BIGINT NOT NULL,
  version BIGINT NOT NULL,
  definition TEXT NOT NULL,
  change TEXT NOT NULL,
  changed_ts BIGINT NOT NULL,
  changed_by TEXT NOT NULL,
  PRIMARY KEY (project_id, name)
);
CREATE INDEX placement_by_project ON placement (project_id, created_ts, name);

CREATE TABLE placement_version (
  project_id TEXT NOT NULL,
  name TEXT NOT NULL,
  version BIGINT NOT NULL,
  account_id TEXT NOT NULL,
  definition TEXT NOT NULL,
  change TEXT NOT NULL,
  changed_ts BIGINT NOT NULL,
  changed_by TEXT NOT NULL,
  PRIMARY KEY (project_id, name, version)
);
`;

export const placements: Migration = { version: 15, name: 'placements', sql: { sqlite: sql, postgres: sql } };
