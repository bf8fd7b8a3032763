// What each API key may do. Keys of earlier versions could do everything.
import type { Migration } from './migration.ts';

const sql = `ALTER TABLE api_key ADD COLUMN scopes TEXT NOT NULL DEFAULT '*';`;

export const keyScopes: Migration = { version: 7, name: 'key scopes', sql: { sqlite: sql, postgres: sql } };
