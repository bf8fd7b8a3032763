import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failedRowsCsv } from './run-import.ts';

test('failed rows become a CSV that keeps quotes and commas', () => {
  assert.equal(
    failedRowsCsv([{ row: 3, reason: 'ts is not a number: "x"', content: '["u","i","x"]' }]),
    'row,reason,content\r\n3,"ts is not a number: ""x""","[""u"",""i"",""x""]"\r\n',
  );
});
