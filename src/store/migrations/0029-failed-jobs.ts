// Jobs that failed, by time: what alerts are about.
import type { Migration } from './migration.ts';

const sql = `CREATE INDEX job_failed ON job (finished_ts) WHERE job_status = 'FAILED';`;

export const failedJobs: Migration = { version: 29, name: 'failed jobs', sql: { sqlite: sql, postgres: sql } };
