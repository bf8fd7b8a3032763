import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../test/support/fast-check.ts';
import { orderByKey } from './order-by-key.ts';

const word = fc.oneof(fc.nat(3), fc.integer({ min: 0, max: 2 ** 32 - 1 }), fc.constantFrom(0, 65_535, 65_536, 2 ** 31));

test('keys of one and of two words come in order, equal ones by their place', () => {
  const property = fc.property(fc.array(fc.tuple(word, word), { maxLength: 50 }), (keys) => {
    const low = Uint32Array.from(keys, ([first]) => first);
    const high = Uint32Array.from(keys, ([, second]) => second);
    const places = [...keys.keys()];
    const byLow = places.toSorted((a, b) => low[a] - low[b] || a - b);
    assert.deepEqual([...orderByKey([low])], byLow);
    const byBoth = places.toSorted((a, b) => high[a] - high[b] || low[a] - low[b] || a - b);
    assert.deepEqual([...orderByKey([low, high])], byBoth);
  });
  fc.assert(property, { numRuns: 300 });
});
