// The audit log: who changed what, when.
import type { Migration } from './migration.ts';

const sql = `
CREATE TABLE audit_entry (
  entry_id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  created_ts BIGINT NOT NULL,
  last_ts BIGINT NOT NULL,
  actor_kind TEXT NOT NULL,
  actor_id TEXT NOT NULL,
  operation TEXT NOT NULL,
  object_id TEXT,
  summary TEXT NOT NULL,
  calls BIGINT NOT NULL,
  records BIGINT NOT NULL,
  request_id TEXT
);
CREATE INDEX audit_by_account ON audit_entry (account_id, created_ts, entry_id);
CREATE INDEX audit_by_operation ON audit_entry (account_id, operation, created_ts, entry_id);
CREATE INDEX audit_by_time ON audit_entry (created_ts);
`;

export const auditLog: Migration = { version: 17, name: 'audit log', sql: { sqlite: sql, postgres: sql } };
