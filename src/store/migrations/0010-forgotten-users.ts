// A user whose last event is gone is forgotten: the id is taken out of `interned`, where its number keeps a placeholder, so that
// numbers stay dense. `erasures` rises with it, and with every deletion of user records: what caches of numbers and running
// jobs compare. Users without events are forgotten here too.
import type { Migration } from './migration.ts';

export const forgottenUsers: Migration = {
  version: 10,
  name: 'forgotten users',
  sql: {
    sqlite: `
ALTER TABLE dataset_count ADD COLUMN erasures BIGINT NOT NULL DEFAULT 0;
UPDATE interned SET id = char(1) || no WHERE kind = 0 AND (printf('%08X', dataset_no), printf('%08X', no)) NOT IN
  (SELECT hex(substr(place, 1, 4)), hex(substr(place, 8, 4)) FROM event_place);
`,
    postgres: `
ALTER TABLE dataset_count ADD COLUMN erasures BIGINT NOT NULL DEFAULT 0;
UPDATE interned SET id = chr(1) || no WHERE kind = 0 AND NOT EXISTS
  (SELECT 1 FROM event e WHERE e.dataset_no = interned.dataset_no AND e.place % 4294967296 = interned.no);
`,
  },
};
