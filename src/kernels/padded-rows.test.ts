import assert from 'node:assert/strict';
import { test } from 'node:test';
import { paddedDimensions, padRows } from './padded-rows.ts';

test('rows are padded to what the kernel reads at once', () => {
  assert.deepEqual([1, 4, 63, 64].map(paddedDimensions), [4, 4, 64, 64]);
  const into = new Float32Array(8);
  padRows({ count: 2, dimensions: 3, values: Float32Array.of(1, 2, 3, 4, 5, 6) }, into);
  assert.deepEqual([...into], [1, 2, 3, 0, 4, 5, 6, 0]);
});
