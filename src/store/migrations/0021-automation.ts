// What projects do by themselves: the rules (JSON; null: nothing), where each is in its next round, and what was decided.
import type { Migration } from './migration.ts';

const sql = `
ALTER TABLE project ADD COLUMN automation TEXT;
CREATE INDEX project_automated ON project (project_id) WHERE automation IS NOT NULL;
CREATE TABLE automation_state (
  project_id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  revision BIGINT NOT NULL,
  model_id TEXT,
  since_ts BIGINT NOT NULL,
  known_events BIGINT NOT NULL,
  training_job_id TEXT,
  failures BIGINT NOT NULL,
  not_before_ts BIGINT NOT NULL,
  message TEXT
);
CREATE TABLE automation_decision (
  decision_id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  project_id TEXT NOT NULL,
  created_ts BIGINT NOT NULL,
  training_job_id TEXT NOT NULL UNIQUE,
  deployment_job_id TEXT,
  model_id TEXT NOT NULL,
  decision TEXT NOT NULL,
  reason TEXT NOT NULL,
  comparison TEXT
);
CREATE INDEX automation_decision_by_project ON automation_decision (project_id, created_ts, decision_id);
`;

export const automation: Migration = { version: 21, name: 'automation', sql: { sqlite: sql, postgres: sql } };
