import assert from 'node:assert/strict';
import { test } from 'node:test';
import { idHash, itemHash, userHash } from './id-hash.ts';

test('an id has the same number as ever: stored rows are found by it', () => {
  assert.equal(itemHash('item-1'), 3_856_473_960_962_507);
  assert.equal(userHash('acc_1', 'user-1'), 580_414_019_721_265);
  assert.equal(itemHash(''), 1_462_363_608_746_046);
});

test('similar ids have different numbers, spread over all 52 bits', () => {
  const numbers = Array.from({ length: 20_000 }, (_, n) => itemHash(`item-${n}`));
  assert.equal(new Set(numbers).size, numbers.length);
  for (const number of numbers) assert.ok(Number.isSafeInteger(number) && number > 0 && number < 2 ** 52);
  for (let bit = 0; bit < 52; bit++) {
    const set = numbers.filter((number) => Math.floor(number / 2 ** bit) % 2 === 1).length;
    assert.ok(set > 9500 && set < 10_500, `bit ${bit} is set in ${set}`);
  }
});

test('accounts have different numbers for the same user, also where the texts join to the same', () => {
  assert.notEqual(userHash('acc_1', 'u'), userHash('acc_2', 'u'));
  assert.notEqual(idHash('bc', 'a'), idHash('c', 'ab'));
  assert.notEqual(idHash('a', ''), idHash('', 'a'));
});
