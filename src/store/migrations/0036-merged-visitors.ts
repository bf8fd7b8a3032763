// To whom a row about a user of experiments belongs: the number of the user into whom that one was merged, or null. The row cannot
// take the number of the other, because lists keep naming the one they were made for.
import type { Migration } from './migration.ts';

const sql = `
ALTER TABLE outcome_user ADD COLUMN owner_hash BIGINT;
CREATE INDEX outcome_user_by_owner ON outcome_user (owner_hash) WHERE owner_hash IS NOT NULL;
`;

export const mergedVisitors: Migration = { version: 36, name: 'merged visitors', sql: { sqlite: sql, postgres: sql } };
