import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addBatch, failedRowsCsv, NOTHING_IMPORTED } from './import-outcome.ts';

const failed = (row: number, content: string | Record<string, unknown> = '') => ({
  row,
  code: 'UNREADABLE_ROW',
  message: 'ts is not a number: "x"',
  content,
});

test('batches add up, and failed rows are in the order of the file', () => {
  const second = { from: 1000, to: 1500, succeeded: 498, failed: [failed(1200), failed(1300)], warnings: {} };
  const first = { from: 0, to: 1000, succeeded: 999, failed: [failed(7)], warnings: { SUSPICIOUS_TIME: 3 } };
  const outcome = addBatch(addBatch(NOTHING_IMPORTED, second), first);
  assert.deepEqual(
    { ...outcome, failedRows: outcome.failedRows.map(({ row }) => row) },
    { read: 1500, failed: 3, failedRows: [7, 1200, 1300], warnings: { SUSPICIOUS_TIME: 3 } },
  );
});

test('failed rows become a CSV that keeps quotes and commas', () => {
  assert.equal(
    failedRowsCsv([failed(3, { user: 'u', ts: 'x' })]),
    'row,reason,content\r\n3,"ts is not a number: ""x""","{""user"":""u"",""ts"":""x""}"\r\n',
  );
});
