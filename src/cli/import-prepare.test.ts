import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { collectField } from './field-map.ts';
import { dryRunOf, prepare, previewText } from './import-prepare.ts';

test('a dry run says how many of the rows it read would be skipped', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'kindred-dry-run-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'events.csv');
  const rows = Array.from({ length: 30 }, (_, row) => `${row === 21 || row === 25 ? '' : 'u'},x,2024-01-01`);
  writeFileSync(path, `user,item,time\n${rows.join('\n')}\n`);
  const file = await prepare(path, { parallel: 1 });
  t.after(() => file.source.close());
  const { rows_read, skipped, first_skipped, records } = dryRunOf(file);
  assert.deepEqual([rows_read, skipped, first_skipped], [30, 2, 'row 22: user_id is empty']);
  assert.equal(records.length, 3);
  const line = previewText(file).split('\n')[3];
  assert.equal(line, '2 of the first 30 rows would be skipped; the first is row 22: user_id is empty');
});

test('a field cannot be read from two columns', () => {
  const map = collectField('user_id=userId');
  assert.throws(() => collectField('user_id=anonymousId', map), /user_id is read from userId already/);
  assert.deepEqual(collectField('ts=when', map), { user_id: 'userId', ts: 'when' });
});
