import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createEmptyProject } from '../../test/support/empty-project.ts';
import { startTestService, type TestService } from '../../test/support/service.ts';
import { Kindred } from '../client/index.ts';
import { planImport } from './import-plan.ts';
import { runImport } from './run-import.ts';
import { csvTable, peekRows } from './table.ts';
import { upsertBy } from './upsert-records.ts';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.stop());

const BATCH_ROWS = 1000;
const VERSIONS = 4;

/** Every id once in each batch. The first versions are large: the service takes longest to store them. */
async function* versions() {
  yield Buffer.from('item_id,version,note\n');
  for (let version = 1; version <= VERSIONS; version++) {
    const note = 'x'.repeat(200 * (VERSIONS - version));
    const lines = Array.from({ length: BATCH_ROWS }, (_, item) => `i${item},${version},${note}\n`);
    yield Buffer.from(lines.join(''));
  }
}

test('of rows with the same id the last one is stored, however many batches are in flight', async () => {
  const { item_dataset_id } = await createEmptyProject(service);
  const { api_key, client_secret } = service.credentials;
  const kindred = new Kindred({ baseUrl: service.baseUrl, apiKey: api_key, clientSecret: client_secret });
  const { sample, table } = await peekRows(await csvTable(versions()), 100);
  const signal = new AbortController().signal;
  let stored = 0;
  await runImport({
    plan: planImport(table, sample),
    table,
    parallel: VERSIONS,
    signal,
    upsert: upsertBy(kindred, { kind: 'items', datasetId: item_dataset_id, signal }),
    onBatch: ({ succeeded }) => {
      stored += succeeded;
    },
  });
  assert.equal(stored, VERSIONS * BATCH_ROWS);
  const { records } = await kindred.listDatasetRecords({ item_dataset_id, page_size: BATCH_ROWS });
  const found = new Set(records.map(({ attributes }) => attributes?.version));
  assert.deepEqual([records.length, [...found]], [BATCH_ROWS, [VERSIONS]]);
});
