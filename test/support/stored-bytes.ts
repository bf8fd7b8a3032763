// What a store says it keeps, held against its rows.
import assert from 'node:assert/strict';
import { MIGRATIONS } from '../../src/store/migrations/index.ts';
import type { Store } from '../../src/store/store.ts';

/** The bytes of every dataset and of the account are those of their rows, counted now as the migration counts them. */
export async function assertCountedBytes(store: Store, accountId: string): Promise<number> {
  const { sql } = MIGRATIONS.find(({ name }) => name === 'stored bytes')!;
  const [, recount] = /UPDATE dataset_count SET stored_bytes =([^;]+)WHERE dataset_id IN/.exec(
    // Since that migration events also have the id of a list.
    sql[store.database.dialect].replace(
      'octet_length(event_id)',
      'octet_length(event_id) + COALESCE(octet_length(recommendation), 0)',
    ),
  )!;
  const rows = await store.database.all<{ dataset_id: string; stored_bytes: number; counted: number }>(
    `SELECT dataset_count.dataset_id, stored_bytes, CAST(${recount} AS BIGINT) AS counted FROM dataset_count
     JOIN dataset ON dataset.dataset_id = dataset_count.dataset_id WHERE dataset.account_id = ?`,
    [accountId],
  );
  for (const { dataset_id, stored_bytes, counted } of rows) assert.equal(stored_bytes, counted, dataset_id);
  const sum = rows.reduce((bytes, { counted }) => bytes + counted, 0);
  assert.equal((await store.accounts.usage(accountId)).storage_bytes, sum);
  return sum;
}
