// The newest check of each project's data, as JSON.
import type { Migration } from './migration.ts';

const sql = `
CREATE TABLE data_health (
  project_id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  checked_ts BIGINT NOT NULL,
  report TEXT NOT NULL
);
`;

export const dataHealth: Migration = { version: 25, name: 'data health', sql: { sqlite: sql, postgres: sql } };
