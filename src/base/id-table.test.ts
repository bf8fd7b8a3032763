import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../test/support/fast-check.ts';
import { IdTable } from './id-table.ts';

test('ids of every kind of character keep their index and come back as they were', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 300 })), (texts) => {
      const table = IdTable.from(texts);
      const distinct = [...new Set(texts.map((text) => text.toWellFormed()))];
      const appended = new IdTable();
      for (const text of distinct) appended.append(text);
      assert.deepEqual(appended.content(), table.content());
      assert.equal(appended.indexOf('not one of them'), -1);
      for (const [index, text] of distinct.entries()) assert.equal(appended.indexOf(text), index);
      assert.equal(table.length, distinct.length);
      const { bytes, offsets } = table.content();
      const reopened = new IdTable(bytes, offsets);
      for (const [index, text] of distinct.entries()) {
        assert.equal(table.at(index), text);
        assert.equal(table.indexOf(text), index);
        assert.equal(reopened.at(index), text);
        assert.equal(reopened.indexOf(text), index);
      }
      assert.equal(table.indexOf('not one of them'), -1);
    }),
  );
});

test('a table grows past its first room, also when it began as a view', () => {
  const first = IdTable.from(['a', 'b']);
  const { bytes, offsets } = first.content();
  const table = new IdTable(new Uint8Array(bytes), new Uint32Array(offsets));
  for (let n = 0; n < 5000; n++) assert.equal(table.intern(`item-${n}`), n + 2);
  for (let n = 0; n < 5000; n++) assert.equal(table.indexOf(`item-${n}`), n + 2);
  assert.equal(table.intern('b'), 1);
  assert.equal(table.length, 5002);
  assert.equal(table.at(5002), undefined);
  assert.equal(table.at(-1), undefined);
  assert.equal(first.length, 2);
});

test('ids with a byte after each are appended at once, among others', () => {
  const table = new IdTable();
  const ids = Array.from({ length: 300 }, (_, n) => `${n} "ü",€`);
  table.append('first');
  for (const from of [0, 1, 200]) {
    const to = from === 0 ? 1 : from === 1 ? 200 : 300;
    table.appendEnded(
      Buffer.from(
        ids
          .slice(from, to)
          .map((id) => `${id}\n`)
          .join(''),
      ),
      10,
    );
  }
  table.appendEnded(new Uint8Array(0), 10);
  table.append('last');
  assert.deepEqual(
    Array.from({ length: table.length }, (_, n) => table.at(n)),
    ['first', ...ids, 'last'],
  );
  assert.equal(table.indexOf(ids[250]), 251);
  assert.throws(() => table.appendEnded(Buffer.from('no end'), 10), /has no end/);
});

test('a table reads bytes in shared memory', () => {
  const { bytes, offsets } = IdTable.from(['é', '', 'item']).content();
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  const table = new IdTable(shared, offsets);
  assert.deepEqual([table.at(0), table.at(1), table.at(2)], ['é', '', 'item']);
  assert.equal(table.indexOf('item'), 2);
});

test('long ids that differ only at their end are different', () => {
  const long = 'é'.repeat(3000);
  const table = IdTable.from([`${long}a`, `${long}b`, 'short']);
  assert.deepEqual([table.indexOf(`${long}a`), table.indexOf(`${long}b`), table.indexOf(long)], [0, 1, -1]);
  assert.equal(table.at(1), `${long}b`);
  const appended = new IdTable();
  for (const id of [`${long}a`, `${long}b`, 'short']) appended.append(id);
  assert.deepEqual(appended.content(), table.content());
});

test('a table tells the length of its ids and the memory that it takes', () => {
  const table = IdTable.from(['a', '漢', '']);
  assert.deepEqual(
    [0, 1, 2].map((index) => table.byteLength(index)),
    [1, 3, 0],
  );
  const { bytes, offsets } = table.content();
  const unused = new IdTable(bytes.slice(), offsets.slice());
  assert.equal(unused.memoryBytes(), 4 + 4 * 4);
  unused.indexOf('a');
  assert.equal(unused.memoryBytes(), 4 + 4 * 4 + 16 * 4, 'with the table for lookups');
});

test('while a table grows, ids from before and after are found, and none twice', () => {
  const table = new IdTable();
  for (let n = 0; n < 3000; n++) {
    assert.equal(table.intern(`item-${n}`), n);
    for (const known of [0, n >> 1, n]) {
      assert.equal(table.indexOf(`item-${known}`), known);
      assert.equal(table.intern(`item-${known}`), known);
    }
    assert.equal(table.indexOf(`item-${n + 1}`), -1);
    assert.equal(table.length, n + 1);
  }
  table.append('one more');
  assert.equal(table.indexOf('one more'), 3000);
  assert.equal(table.indexOf('item-7'), 7);
});
