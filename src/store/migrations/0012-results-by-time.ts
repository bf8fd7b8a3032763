// The results of an account's querying and clustering jobs by when they were made: what is looked through when a user is deleted.
import type { Migration } from './migration.ts';

const sql = `
CREATE INDEX job_results ON job (account_id, finished_ts)
  WHERE job_status = 'SUCCEED' AND job_type IN ('QUERYING', 'CLUSTERING');
`;

export const resultsByTime: Migration = { version: 12, name: 'results by time', sql: { sqlite: sql, postgres: sql } };
