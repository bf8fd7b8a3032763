// Keys for browsers, keys that expire, and secrets that were rotated. Keys of earlier versions are secret and never expire.
import type { Migration } from './migration.ts';

const sql = `
ALTER TABLE api_key ADD COLUMN kind TEXT NOT NULL DEFAULT 'secret';
ALTER TABLE api_key ADD COLUMN expires_ts BIGINT;
ALTER TABLE api_key ADD COLUMN project_id TEXT;
ALTER TABLE api_key ADD COLUMN origins TEXT NOT NULL DEFAULT '';
ALTER TABLE api_key ADD COLUMN secret_version BIGINT NOT NULL DEFAULT 1;
ALTER TABLE api_key ADD COLUMN rotated_ts BIGINT;
ALTER TABLE api_key ADD COLUMN previous_secret_hash TEXT;
ALTER TABLE api_key ADD COLUMN previous_until_ts BIGINT;
`;

export const keyKinds: Migration = { version: 14, name: 'key kinds', sql: { sqlite: sql, postgres: sql } };
