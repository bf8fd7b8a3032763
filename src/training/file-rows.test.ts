import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '../base/seeded-random.ts';
import { FileRows } from './file-rows.ts';

test('rows are in the order of users, times and the file, as a plain sort has them', () => {
  const random = seededRandom(1);
  const rows = new FileRows();
  const plain: { user: number; ts: number; row: number }[] = [];
  for (let row = 0; row < 20_000; row++) {
    const user = row < 300 ? row : random.below(300);
    // Some users are in order already, and some times repeat.
    const ts = user % 3 === 0 ? row : random.below(50) - 25.5;
    rows.add({ user, item: row % 7, type: row % 300, value: row, ts });
    plain.push({ user, ts, row });
  }
  plain.sort((a, b) => a.user - b.user || a.ts - b.ts || a.row - b.row);
  assert.deepEqual(
    Array.from(rows.inOrder()),
    plain.map(({ row }) => row),
  );
  assert.equal(rows.type[299], 255);
  assert.equal(rows.value[19_999], 19_999);
  assert.deepEqual(new FileRows().inOrder(), new Uint32Array(0));
});
