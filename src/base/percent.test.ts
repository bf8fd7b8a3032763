import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evenPercents, percent } from './percent.ts';

test('percentages keep three digits', () => {
  assert.deepEqual([0, 0.5, 0.12345, 0.000567, 1, 0.9999, 1e-12, 5e-8].map(percent), [
    '0%',
    '50%',
    '12.3%',
    '0.0567%',
    '100%',
    '100%',
    '< 0.000001%',
    '0.000005%',
  ]);
});

test('the labels of an axis have the same number of decimals', () => {
  assert.deepEqual(evenPercents([0, 0.0219, 0.0876, 0.1095]), ['0%', '2.19%', '8.76%', '10.95%']);
  assert.deepEqual(evenPercents([0, 0.1, 0.2]), ['0%', '10%', '20%']);
  assert.deepEqual(evenPercents([0, 0.025, 0.05]), ['0%', '2.5%', '5.0%']);
  assert.deepEqual(evenPercents([0, 0]), ['0%', '0%']);
});
