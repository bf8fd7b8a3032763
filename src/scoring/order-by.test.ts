import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../test/support/fast-check.ts';
import { atOnce } from '../base/steps.ts';
import { orderSteps } from './order-by.ts';

test('indices come by value, equal values by index, in both directions', () => {
  const values = fc.array(fc.oneof(fc.constantFrom(0, -0, 0.5, 1), fc.float({ min: 0, max: 1, noNaN: true })));
  fc.assert(
    fc.property(values, fc.boolean(), (list, largestFirst) => {
      const sign = largestFirst ? -1 : 1;
      const expected = list.map((_, n) => n).sort((a, b) => sign * (list[a] - list[b]) || a - b);
      assert.deepEqual([...atOnce(orderSteps(Float32Array.from(list), largestFirst))], expected);
    }),
  );
});
