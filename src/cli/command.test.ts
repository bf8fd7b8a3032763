import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { decimalNumber, describeError, wholeNumber } from './command.ts';
import { EXIT, exitCodeOf } from './exit-codes.ts';

test('an option takes numbers in its range, and refuses what is no number', () => {
  assert.deepEqual(['2.5', '-3', '1e3', ' 4 '].map(decimalNumber()), [2.5, -3, 1000, 4]);
  for (const parse of [decimalNumber(), decimalNumber(0), decimalNumber(0, 1), wholeNumber('--limit', 0, 10)]) {
    for (const text of ['2,5', '', ' ', 'two', '1 000', 'Infinity', 'NaN']) {
      assert.throws(() => parse(text), { name: 'InvalidArgumentError' }, JSON.stringify(text));
    }
  }
  assert.throws(() => decimalNumber()('2,5'), { message: 'It must be a number such as 2.5.' });
  assert.throws(() => decimalNumber(0)('-0.1'), { message: 'It must be a number, 0 or more.' });
  assert.throws(() => decimalNumber(0, 1)('1.1'), { message: 'It must be a number from 0 to 1.' });
});

test('a full disk is told in one line', async () => {
  await assert.rejects(writeFile('/dev/full', 'text'), (error) => {
    assert.equal(exitCodeOf(error), EXIT.USAGE);
    assert.equal(describeError(error), (error as Error).message);
    return true;
  });
});
