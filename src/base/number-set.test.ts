import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../test/support/fast-check.ts';
import { NumberSet } from './number-set.ts';

test('a set of numbers has what was added since it was emptied, in that order', () => {
  const set = new NumberSet();
  const turn = fc.array(fc.nat(300), { maxLength: 200 });
  fc.assert(
    fc.property(turn, (numbers) => {
      set.clear();
      const expected = new Set(numbers);
      for (const number of numbers) set.add(number);
      assert.deepEqual([...set], [...expected]);
      assert.equal(set.size, expected.size);
      for (let number = 0; number < 400; number++) {
        assert.equal(set.has(number), expected.has(number));
        assert.equal(set.placeOf(number), [...expected].indexOf(number));
      }
    }),
  );
});

test('one large turn leaves the next ones as they were', () => {
  const set = new NumberSet();
  const before = set.memoryBytes();
  const numbers = Array.from({ length: 100_000 }, (_, n) => (n * 2_654_435_761) >>> 0);
  for (const number of numbers) set.add(number);
  assert.equal(set.size, numbers.length);
  assert.ok(numbers.every((number, place) => set.placeOf(number) === place));
  assert.ok(set.memoryBytes() > 100_000 * 4);
  set.clear();
  assert.equal(set.memoryBytes(), before);
  assert.ok(numbers.every((number) => !set.has(number)));
});
