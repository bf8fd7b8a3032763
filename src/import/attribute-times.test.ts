import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytes, read, readCsv } from '../../test/support/read-table.ts';
import type { PlanOptions } from './import-plan.ts';
import { jsonLinesTable } from './table.ts';

/** The attribute of these cells, in CSV and in JSON Lines, which give the same. */
async function stored(cells: string[], options: PlanOptions = {}): Promise<unknown[]> {
  const csv = await readCsv(`item_id,at\n${cells.map((cell, index) => `i${index},"${cell}"\n`).join('')}`, options);
  const lines = cells.map((at, index) => JSON.stringify({ item_id: `i${index}`, at }));
  const json = await read(await jsonLinesTable(bytes(lines.join('\n'))), options);
  assert.deepEqual(csv.records, json.records);
  return csv.records.map((record) => (record as { attributes: { at: unknown } }).attributes.at);
}

test('attributes that are dates with a time are stored as ISO 8601, which filters read', async () => {
  assert.deepEqual(await stored(['Thu, 19 Nov 2026 07:12:00 +0100', '19 Nov 2026 06:12 GMT']), [
    '2026-11-19T06:12:00Z',
    '2026-11-19T06:12:00Z',
  ]);
  assert.deepEqual(await stored(['2026-11-19 07:12:00 +0100', '2026-11-19T07:12:00.5Z', '2026-11-19']), [
    '2026-11-19T06:12:00Z',
    '2026-11-19T07:12:00.500Z',
    '2026-11-19',
  ]);
});

test('attributes that filters read already, or that are not all such dates, stay as they are', async () => {
  for (const cells of [
    ['2026-11-19T07:12:00+01:00', '2026-11-19 07:12'],
    ['Thu, 19 Nov 2026 07:12:00 +0100', 'soon'],
    ['Tue, 31 Feb 2026 07:12:00 +0100'],
    ['19.11.2026 07:12', '11/12/2026 07:12'],
    ['Nov 19, 2026'],
  ]) {
    assert.deepEqual(await stored(cells), cells);
  }
  const text = ['Thu, 19 Nov 2026 07:12:00 +0100'];
  assert.deepEqual(await stored(text, { text: ['at'] }), text);
});
