// Webhooks and the deliveries that wait to be sent. A delivery is about a job, or holds its data itself.
import type { Migration } from './migration.ts';

const sql = `
CREATE TABLE webhook (
  webhook_id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES account (account_id),
  url TEXT NOT NULL,
  events TEXT NOT NULL,
  created_ts BIGINT NOT NULL,
  last_attempt TEXT
);
CREATE INDEX webhook_by_account ON webhook (account_id);
CREATE TABLE webhook_delivery (
  delivery_id TEXT PRIMARY KEY,
  webhook_id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  event TEXT NOT NULL,
  job_id TEXT,
  data TEXT,
  created_ts BIGINT NOT NULL,
  next_ts BIGINT NOT NULL,
  attempts BIGINT NOT NULL
);
CREATE INDEX webhook_delivery_by_time ON webhook_delivery (next_ts);
CREATE INDEX webhook_delivery_by_webhook ON webhook_delivery (webhook_id, next_ts);
`;

export const webhooks: Migration = { version: 18, name: 'webhooks', sql: { sqlite: sql, postgres: sql } };
