// The jobs of an account, newest first, whatever their project.
import type { Migration } from './migration.ts';

const sql = 'CREATE INDEX job_by_account ON job (account_id, created_ts, job_id);';

export const jobsByAccount: Migration = { version: 4, name: 'jobs by account', sql: { sqlite: sql, postgres: sql } };
