// Jobs (the queue), models, deployments and the nodes that serve them.
import type { Migration } from './migration.ts';

const sql = `
CREATE TABLE job (
  job_id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  project_id TEXT NOT NULL,
  job_type TEXT NOT NULL,
  name TEXT NOT NULL,
  created_ts BIGINT NOT NULL,
  job_data TEXT NOT NULL,
  job_result TEXT,
  job_status TEXT NOT NULL,
  retry_count BIGINT NOT NULL DEFAULT 0,
  progress TEXT NOT NULL,
  started_ts BIGINT,
  finished_ts BIGINT,
  failure_reason TEXT,
  attempt BIGINT NOT NULL DEFAULT 0,
  heartbeat BIGINT NOT NULL DEFAULT 0,
  worker_id TEXT,
  not_before_ts BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX job_by_project ON job (project_id, created_ts, job_id);
CREATE INDEX job_queue ON job (created_ts, job_id) WHERE job_status = 'PENDING';
CREATE INDEX job_running ON job (job_id) WHERE job_status = 'RUNNING';
CREATE UNIQUE INDEX job_one_deployment ON job (project_id) WHERE job_status = 'RUNNING' AND job_type = 'DEPLOYMENT';

CREATE TABLE model (
  model_id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  project_id TEXT NOT NULL,
  name TEXT NOT NULL,
  algorithm_type TEXT NOT NULL,
  algorithm_parameters TEXT NOT NULL,
  created_ts BIGINT NOT NULL,
  job_id TEXT NOT NULL,
  artifact_key TEXT NOT NULL UNIQUE,
  metrics TEXT,
  training TEXT NOT NULL
);
CREATE INDEX model_by_project ON model (project_id, created_ts, model_id);

CREATE TABLE deployment (
  project_id TEXT NOT NULL,
  version BIGINT NOT NULL,
  account_id TEXT NOT NULL,
  generator_model_id TEXT NOT NULL,
  ranker_model_id TEXT,
  qps BIGINT NOT NULL,
  job_id TEXT NOT NULL,
  created_ts BIGINT NOT NULL,
  state TEXT NOT NULL,
  PRIMARY KEY (project_id, version)
);
CREATE UNIQUE INDEX deployment_active ON deployment (project_id) WHERE state = 'ACTIVE';
CREATE INDEX deployment_candidate ON deployment (job_id) WHERE state = 'CANDIDATE';

CREATE TABLE node (
  node_id TEXT PRIMARY KEY,
  started_ts BIGINT NOT NULL,
  heartbeat BIGINT NOT NULL,
  state TEXT NOT NULL
);
`;

export const jobsAndModels: Migration = { version: 3, name: 'jobs and models', sql: { sqlite: sql, postgres: sql } };
