import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../test/support/fast-check.ts';
import { CsvRows, guessSeparator } from './csv-rows.ts';

function parseInPieces(text: string, cuts: number[]): string[][] {
  const parser = new CsvRows(',');
  const rows: string[][] = [];
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

test('the separator is the one that cuts the header most', () => {
  assert.equal(guessSeparator('a;b;c,d'), ';');
  assert.equal(guessSeparator('a\tb'), '\t');
  assert.equal(guessSeparator('user_id'), ',');
});
