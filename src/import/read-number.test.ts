import assert from 'node:assert/strict';
import { test } from 'node:test';
import { guessNumberFormat, parseNumber } from './read-number.ts';

const read = (...texts: string[]) => texts.map((text) => parseNumber(text, guessNumberFormat(texts)));

test('numbers of programs are read as they are', () => {
  assert.deepEqual(read('1', '-2.5', '+3', '.5', '1e3'), [1, -2.5, 3, 0.5, 1000]);
  assert.deepEqual(read('1.234'), [1.234]);
});

test('a column that shows its decimal mark has groups of digits too', () => {
  assert.deepEqual(read('12,50', '1.234,5', '-0,99', '7', '1.000'), [12.5, 1234.5, -0.99, 7, 1000]);
  assert.deepEqual(read('1,234.50', '12', '1,000'), [1234.5, 12, 1000]);
  assert.deepEqual(read('1 234,5', '1\u202f234,5', "1'234,5"), [1234.5, 1234.5, 1234.5]);
});

test('what shows no decimal mark, or both, is no number unless it is one of programs', () => {
  assert.deepEqual(read('1,234', '12,500'), [Number.NaN, Number.NaN]);
  assert.deepEqual(read('12,5', '12.5'), [Number.NaN, 12.5]);
});

test('ids, dates and codes are no numbers', () => {
  assert.deepEqual(
    read('007', '1,2,3', '12.11.2026', '12,5 kg', '', '-').map(Number.isNaN),
    Array.from({ length: 6 }, () => true),
  );
});
