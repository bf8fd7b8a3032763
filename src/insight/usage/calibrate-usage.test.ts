import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IDENTITY_MAP, type UsageMaps } from '../../artifact/usage-maps.ts';
import { calibrationOf } from './calibrate-usage.ts';

const maps: UsageMaps = {
  questions: 700,
  all: IDENTITY_MAP,
  attributes: [],
  values: [
    {
      attribute: 'year',
      value: 1999,
      map: IDENTITY_MAP,
      events: 80,
      figures: {
        predicted: 0.2,
        observed: 0.25,
        slope: 1.1,
        tenths: Array.from({ length: 10 }, (_, n) => ({ predicted: n / 20, observed: n / 20 + (n === 9 ? 0.5 : 0) })),
      },
    },
  ],
};

test('a value with enough held-out events has its figures, others have none', () => {
  const { users, pairs } = calibrationOf(maps, [
    { attribute: 'year', value: 1999 },
    { attribute: 'year', value: '1999' },
    { attribute: 'genre', value: 1999 },
  ]);
  assert.equal(users, 700);
  assert.deepEqual(
    { ...pairs[0], tenths: pairs[0]!.tenths.length },
    { predicted: 0.2, observed: 0.25, error: 0.05, tenths: 10, error_by_tenth: 0.05, slope: 1.1 },
  );
  assert.deepEqual(pairs.slice(1), [null, null]);
});

test('without maps it says so and claims nothing', () => {
  const { method, pairs } = calibrationOf(null, [{ attribute: 'year', value: 1999 }]);
  assert.match(method, /not known/);
  assert.deepEqual(pairs, [null]);
});
