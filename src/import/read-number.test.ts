import assert from 'node:assert/strict';
import { test } from 'node:test';
import { guessNumberFormat, parseNumber, readNumber } from './read-number.ts';

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

test('whole numbers that would lose digits are ids', () => {
  assert.deepEqual(read('9007199254740991', '-9007199254740991', '1e300', '0.1234567890123456789'), [
    Number.MAX_SAFE_INTEGER,
    Number.MIN_SAFE_INTEGER,
    1e300,
    0.12345678901234568,
  ]);
  assert.deepEqual(read('12345678901234567890', '9007199254740993', '5'), [Number.NaN, Number.NaN, 5]);
  assert.deepEqual(read('12.345.678.901.234.567.890', '1,5'), [Number.NaN, 1.5]);
});

test('a cell that can only be a number may have leading zeros and many digits', () => {
  assert.deepEqual([readNumber('007.50', 'plain'), readNumber('012,5', ',')], [7.5, 12.5]);
  assert.equal(readNumber('12345678901234567890', 'plain'), 12345678901234567000);
  for (const text of ['', '0x10', '0b1', 'Infinity', '1,5', '1 2']) {
    assert.ok(Number.isNaN(readNumber(text, 'plain')), text);
  }
});
