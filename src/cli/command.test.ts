import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { decimalNumber, describeError, runCommand, wholeNumber } from './command.ts';
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

test('Ctrl-C and SIGTERM abort a command that watches its signal, and end others at once', async () => {
  const listeners = () => (['SIGINT', 'SIGTERM'] as const).map((name) => process.listenerCount(name));
  const before = listeners();
  await runCommand({}, async () => assert.deepEqual(listeners(), before));
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    await runCommand({}, async (context) => {
      const { signal } = context;
      assert.equal(context.signal, signal);
      process.emit(name, name);
      assert.equal(exitCodeOf(signal.reason), EXIT.INTERRUPTED);
    });
  }
  assert.deepEqual([listeners(), process.exitCode], [before, undefined]);
});
