import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../test/support/fast-check.ts';
import { containsText } from './contains-text.ts';

test('long and short substrings are found where they are and nowhere else', () => {
  const piece = fc.constantFrom('a', 'b', 'ab', 'aab', 'é', '😀');
  const text = fc
    .array(fc.tuple(piece, fc.integer({ min: 1, max: 50 })))
    .map((parts) => parts.map(([part, times]) => part.repeat(times)).join(''));
  fc.assert(
    fc.property(text, text, (whole, part) => {
      assert.equal(containsText(whole, part), whole.includes(part));
      assert.equal(containsText(whole + part + whole, part), true);
    }),
    { numRuns: 500 },
  );
});

test('a long substring is found behind beginnings of itself, and at both ends', () => {
  const wanted = `${'ab'.repeat(40)}c`;
  for (const text of [wanted, `${wanted}x`, `x${wanted}`, `${'ab'.repeat(41)}c`, `${wanted.slice(0, -1)}${wanted}`]) {
    assert.equal(containsText(text, wanted), true, text);
  }
  for (const text of [wanted.slice(1), wanted.slice(0, -1), 'ab'.repeat(1000), `${'ab'.repeat(39)}c`, '']) {
    assert.equal(containsText(text, wanted), false, text);
  }
});
