// Parts of a job are rows of the queue: they name their job and their place in it. A job that was cut knows how many it has.
import type { Migration } from './migration.ts';

const sql = `
ALTER TABLE job ADD COLUMN parent_job_id TEXT;
ALTER TABLE job ADD COLUMN part_no BIGINT;
ALTER TABLE job ADD COLUMN part_count BIGINT NOT NULL DEFAULT 0;
CREATE UNIQUE INDEX job_parts ON job (parent_job_id, part_no) WHERE parent_job_id IS NOT NULL;
`;

export const jobParts: Migration = { version: 27, name: 'job parts', sql: { sqlite: sql, postgres: sql } };
