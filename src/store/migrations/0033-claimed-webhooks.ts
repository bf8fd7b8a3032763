// Until when a node has a webhook to itself while it sends one of its deliveries; see webhook-store.ts.
import type { Migration } from './migration.ts';

const sql = 'ALTER TABLE webhook ADD COLUMN claimed_until BIGINT NOT NULL DEFAULT 0;';

export const claimedWebhooks: Migration = {
  version: 33,
  name: 'claimed webhooks',
  sql: { sqlite: sql, postgres: sql },
};
