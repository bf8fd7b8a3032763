// Accounts take turns: when a worker last took a job of the account. And how many of its jobs wait, at a look.
import type { Migration } from './migration.ts';

const sql = `
ALTER TABLE account ADD COLUMN last_claim_ts BIGINT NOT NULL DEFAULT 0;
CREATE INDEX job_pending_by_account ON job (account_id) WHERE job_status = 'PENDING';
`;

export const fairJobs: Migration = { version: 9, name: 'fair jobs', sql: { sqlite: sql, postgres: sql } };
