// Accounts, API keys, datasets, projects and algorithms.
import type { Migration } from './migration.ts';

const sql = `
CREATE TABLE account (
  account_id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  max_event_shards BIGINT NOT NULL,
  max_training_hours DOUBLE PRECISION NOT NULL,
  max_qps BIGINT NOT NULL,
  training_hours DOUBLE PRECISION NOT NULL DEFAULT 0,
  disabled BIGINT NOT NULL DEFAULT 0,
  created_ts BIGINT NOT NULL
);

CREATE TABLE api_key (
  key_id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES account (account_id),
  name TEXT NOT NULL,
  key_hash TEXT NOT NULL UNIQUE,
  secret_hash TEXT NOT NULL,
  hint TEXT NOT NULL,
  disabled BIGINT NOT NULL DEFAULT 0,
  created_ts BIGINT NOT NULL
);
CREATE INDEX api_key_by_account ON api_key (account_id, created_ts, key_id);

CREATE TABLE shared_secret (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
);

CREATE TABLE dataset (
  dataset_id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES account (account_id),
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  num_shards BIGINT NOT NULL,
  attribute_schema TEXT,
  created_ts BIGINT NOT NULL
);
CREATE INDEX dataset_by_account ON dataset (account_id, kind, created_ts, dataset_id);

CREATE TABLE project (
  project_id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES account (account_id),
  name TEXT NOT NULL,
  project_type TEXT NOT NULL,
  user_dataset_id TEXT NOT NULL,
  item_dataset_id TEXT NOT NULL,
  event_dataset_id TEXT NOT NULL,
  target_event_type TEXT NOT NULL,
  created_ts BIGINT NOT NULL
);
CREATE INDEX project_by_account ON project (account_id, created_ts, project_id);

CREATE TABLE algorithm (
  algorithm_id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  project_id TEXT NOT NULL,
  name TEXT NOT NULL,
  algorithm_type TEXT NOT NULL,
  algorithm_parameters TEXT NOT NULL,
  created_ts BIGINT NOT NULL
);
CREATE INDEX algorithm_by_project ON algorithm (project_id, created_ts, algorithm_id);
`;

export const catalogue: Migration = { version: 1, name: 'catalogue', sql: { sqlite: sql, postgres: sql } };
