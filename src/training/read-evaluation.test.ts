import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readTrainFile } from './read-evaluation.ts';

const folder = mkdtempSync(join(tmpdir(), 'kindred-read-evaluation-'));
after(() => rmSync(folder, { recursive: true }));

test('the target has a place however many types a file has before it', async () => {
  const train = join(folder, 'train.csv');
  const types = [...Array.from({ length: 300 }, (_, n) => `view-${n}`), 'buy'];
  const rows = types.map((type, n) => `u,i${n},${n + 1},${type}`);
  writeFileSync(train, ['user_id,item_id,ts,event_type', ...rows].join('\n'));
  const input = { train, test: train, format: 'csv', reading: 'auto', targetEventType: 'buy' } as const;
  const { table } = await readTrainFile(input);
  const named = Array.from(table.type, (type) => table.typeNames[type]);
  assert.deepEqual(named, [...types.slice(0, 254), 'buy']);
  assert.equal(table.typeNames[table.targetType], 'buy');
});
