import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../test/support/fast-check.ts';
import { type CsvRow, CsvRows, guessSeparator } from './csv-rows.ts';
import { UnreadableRow } from './unreadable-row.ts';

function parseInPieces(text: string, cuts: number[] = []): CsvRow[] {
  const parser = new CsvRows(',');
  const rows: CsvRow[] = [];
  let from = 0;
  for (const cut of [...cuts].sort((a, b) => a - b)) {
    const at = Math.min(cut, text.length);
    rows.push(...parser.push(text.slice(from, at)));
    from = at;
  }
  rows.push(...parser.push(text.slice(from)));
  return [...rows, ...parser.end()];
}

test('what was written as CSV is read back, wherever the pieces are cut', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', 'b', '"', ',', '\n', ' ', 'é'), maxLength: 6 });
  // An empty line is no row, so a row is at least two cells here.
  const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { maxLength: 6 });
  const cuts = fc.array(fc.nat(80), { maxLength: 6 });
  fc.assert(
    fc.property(table, cuts, fc.constantFrom('\n', '\r\n'), fc.boolean(), (rows, where, lineEnd, lastEnd) => {
      const text = rows
        .map((row) => row.map((value) => (/[",\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value)).join(','))
        .join(lineEnd);
      assert.deepEqual(parseInPieces(text + (lastEnd && rows.length > 0 ? lineEnd : ''), where), rows);
    }),
    { numRuns: 500 },
  );
});

test('a quote inside an unquoted cell is a character like any other', () => {
  assert.deepEqual(parseInPieces('a,5" pipe,b\nc,d,e\n', [3, 7]), [
    ['a', '5" pipe', 'b'],
    ['c', 'd', 'e'],
  ]);
});

const open = (line: string) => new UnreadableRow(line, 'a quote that is opened in this row is not closed');

test('a quote that is never closed costs its row, wherever the pieces are cut', () => {
  const text = 'a,b\r\nc,"d\r\ne,f\ng,h';
  for (let cut = 0; cut <= text.length; cut++) {
    assert.deepEqual(parseInPieces(text, [cut]), [['a', 'b'], open('c,"d'), ['e', 'f'], ['g', 'h']], `cut at ${cut}`);
  }
});

test('a quote that the quote of a later row seems to close costs its row', () => {
  assert.deepEqual(parseInPieces('a,"b\nc,d\ne,"f, g"\nh,"i" \n'), [
    open('a,"b'),
    ['c', 'd'],
    ['e', 'f, g'],
    ['h', 'i '],
  ]);
});

test('a row of several lines ends within its limit, wherever the pieces are cut', () => {
  const line = `${'x'.repeat(1023)}\n`;
  const text = `a,"b\n${line.repeat(1024)}","c"\nd,e\n`;
  for (const cuts of [[], [5], [1024 * 1024 + 20], [700_000, 1_048_580]]) {
    const rows = parseInPieces(text, cuts);
    assert.deepEqual([rows[0], rows.at(-1), rows.length], [open('a,"b'), ['d', 'e'], 1027], `${cuts}`);
  }
  const long = `a,"${'x'.repeat(2 * 1024 * 1024)}"`;
  assert.equal(parseInPieces(`${long}\nd,e\n`, [1024 * 1024 + 20])[0] instanceof UnreadableRow, false);
});

test('the separator is the one that cuts the header most', () => {
  assert.equal(guessSeparator('a;b;c,d'), ';');
  assert.equal(guessSeparator('a\tb'), '\t');
  assert.equal(guessSeparator('user_id'), ',');
});
