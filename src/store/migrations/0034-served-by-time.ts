// Which batches of served lists are older than a list counts: every write of a node asks.
import type { Migration } from './migration.ts';

const sql = 'CREATE INDEX outcome_served_by_time ON outcome_served (dataset_no, created_ts);';

export const servedByTime: Migration = { version: 34, name: 'served by time', sql: { sqlite: sql, postgres: sql } };
