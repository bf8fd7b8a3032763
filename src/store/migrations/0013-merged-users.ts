// `merges` rises when a user is merged into another: like `erasures`, it tells caches that numbers of users are out of date, but
// it is no deletion, so results that are on their way may still name the user.
import type { Migration } from './migration.ts';

const sql = 'ALTER TABLE dataset_count ADD COLUMN merges BIGINT NOT NULL DEFAULT 0;';

export const mergedUsers: Migration = { version: 13, name: 'merged users', sql: { sqlite: sql, postgres: sql } };
