// For how long an item that was shown may assist events: a setting of the project, kept with each item when it is shown, so that
// taking an event back uses the window it was counted with. Null: 24 hours.
import type { Migration } from './migration.ts';

const sql = `
ALTER TABLE project ADD COLUMN assist_window_hours INTEGER;
ALTER TABLE outcome_item ADD COLUMN assist_hours INTEGER;
`;

export const assistWindow: Migration = { version: 32, name: 'assist window', sql: { sqlite: sql, postgres: sql } };
