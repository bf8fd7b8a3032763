// Messages of streams that say nothing, and those that were deleted before they were read; see stream-store.ts.
import type { Migration } from './migration.ts';

const sql = `
ALTER TABLE stream_position ADD COLUMN tombstones BIGINT NOT NULL DEFAULT 0;
ALTER TABLE stream_position ADD COLUMN lost BIGINT NOT NULL DEFAULT 0;
`;

export const streamLosses: Migration = { version: 30, name: 'stream losses', sql: { sqlite: sql, postgres: sql } };
