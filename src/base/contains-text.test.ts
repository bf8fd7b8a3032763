import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../test/support/fast-check.ts';
import { containsText } from './contains-text.ts';
import { seededRandom } from './seeded-random.ts';

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
  for (const text of [
    wanted.slice(1),
    `x${wanted.slice(1)}`,
    wanted.slice(0, -1),
    'ab'.repeat(1000),
    `${'ab'.repeat(39)}c`,
    '',
  ]) {
    assert.equal(containsText(text, wanted), false, text);
  }
});

test('texts of few different letters, full of beginnings of what is wanted, are searched right', () => {
  const random = seededRandom(3);
  const pattern = (length: number): string => Array.from({ length }, () => random.pick(['a', 'a', 'b'])).join('');
  let found = 0;
  for (let round = 0; round < 3000; round++) {
    const period = pattern(1 + random.below(9));
    const text = Array.from({ length: 4 }, () => period.repeat(10 + random.below(20)) + pattern(random.below(4))).join(
      '',
    );
    const from = random.below(text.length);
    const part = text.slice(from, from + 65 + random.below(20));
    const at = random.below(part.length);
    const wanted = random.chance(0.5) ? part : `${part.slice(0, at)}${pattern(1)}${part.slice(at + 1)}`;
    assert.equal(containsText(text, wanted), text.includes(wanted), `${wanted} in ${text}`);
    if (wanted.length > 64 && text.includes(wanted)) found++;
  }
  assert.ok(found > 300 && found < 2700, `${found}`);
});
