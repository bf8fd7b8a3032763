// How a project reads messages of Segment and RudderStack, as JSON; null: by the defaults.
import type { Migration } from './migration.ts';

const sql = 'ALTER TABLE project ADD COLUMN segment_mapping TEXT;';

export const segmentMapping: Migration = { version: 19, name: 'segment mapping', sql: { sqlite: sql, postgres: sql } };
