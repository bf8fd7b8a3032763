// Experiments of placements, and how their figures went hour by hour. Variants, decision and figures are JSON.
import type { Migration } from './migration.ts';

const sql = `
CREATE TABLE experiment (
  experiment_id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  project_id TEXT NOT NULL,
  placement TEXT NOT NULL,
  name TEXT NOT NULL,
  variants TEXT NOT NULL,
  metric TEXT NOT NULL,
  min_days BIGINT NOT NULL,
  status TEXT NOT NULL,
  created_ts BIGINT NOT NULL,
  stopped_ts BIGINT,
  promoted TEXT,
  decided TEXT
);
CREATE UNIQUE INDEX experiment_running ON experiment (project_id, placement) WHERE status = 'RUNNING';
CREATE INDEX experiment_by_project ON experiment (project_id, created_ts, experiment_id);
CREATE TABLE experiment_point (
  experiment_id TEXT NOT NULL,
  hour BIGINT NOT NULL,
  figures TEXT NOT NULL,
  PRIMARY KEY (experiment_id, hour)
);
`;

export const experiments: Migration = { version: 22, name: 'experiments', sql: { sqlite: sql, postgres: sql } };
