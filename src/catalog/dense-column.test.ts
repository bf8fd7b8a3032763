import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atOnce } from '../base/steps.ts';
import { DenseColumn } from './dense-column.ts';

const ITEMS = 1000;
const TEXTS = Array.from({ length: 100 }, (_, n) => `${n} ${'x'.repeat(100_000)}`);

const write = (column: DenseColumn, item: number, text: string): void =>
  column.write(item, item % 2 === 0 ? text : ['a', text], ITEMS);

/** A column in which each text is the value of some items and an element of lists of others. */
function columnOfTexts(): DenseColumn {
  const column = new DenseColumn();
  for (let item = 0; item < ITEMS; item++) write(column, item, TEXTS[item % 100]);
  return column;
}

test('values that are written again, or that other items have, leave nothing behind', () => {
  const column = columnOfTexts();
  for (let item = 0; item < ITEMS; item++) {
    column.write(item, null, ITEMS);
    write(column, item, TEXTS[item % 100]);
  }
  for (let item = 0; item < 500; item++) write(column, item, TEXTS[(item + 1) % 100]);
  assert.equal(column.isWorn(ITEMS), false);
});

test('texts that no item has any more are given back', () => {
  const column = columnOfTexts();
  for (let item = 0; item < ITEMS; item++) if (item % 100 < 60) write(column, item, 'short');
  assert.equal(column.isWorn(ITEMS), true);
  atOnce(column.rewrite(ITEMS));
  assert.equal(column.isWorn(ITEMS), false);
  assert.ok(column.memoryBytes() < 9_000_000, String(column.memoryBytes()));
  assert.deepEqual(
    [0, 1, 99].map((item) => column.read(item)),
    ['short', ['a', 'short'], ['a', TEXTS[99]]],
  );
});
