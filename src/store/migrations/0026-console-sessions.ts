// Sessions of people who sign in to the console, and their names in the audit log.
import type { Migration } from './migration.ts';

const sql = `
CREATE TABLE console_session (
  session_id TEXT PRIMARY KEY,
  id_hash TEXT NOT NULL UNIQUE,
  account_id TEXT NOT NULL REFERENCES account (account_id),
  person_id TEXT NOT NULL,
  person_name TEXT NOT NULL,
  role TEXT NOT NULL,
  rules_hash TEXT NOT NULL,
  user_agent TEXT NOT NULL,
  created_ts BIGINT NOT NULL,
  seen_ts BIGINT NOT NULL,
  expires_ts BIGINT NOT NULL
);
CREATE INDEX console_session_by_account ON console_session (account_id, person_id);
ALTER TABLE audit_entry ADD COLUMN actor_name TEXT;
`;

export const consoleSessions: Migration = {
  version: 26,
  name: 'console sessions',
  sql: { sqlite: sql, postgres: sql },
};
