// Only items that were shown are looked up by their user, and only their rows name one: others cost no entry in a second index.
import type { Migration } from './migration.ts';

const sql = `
DROP INDEX outcome_item_by_user;
UPDATE outcome_item SET user_hash = 0 WHERE shown_ts IS NULL;
CREATE INDEX outcome_item_by_user ON outcome_item (dataset_no, user_hash, item_hash) WHERE shown_ts IS NOT NULL;
`;

export const shownItems: Migration = { version: 24, name: 'shown items', sql: { sqlite: sql, postgres: sql } };
