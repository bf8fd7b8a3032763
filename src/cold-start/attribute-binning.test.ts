import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../test/support/fast-check.ts';
import type { AttributeSchema } from '../domain/dataset.ts';
import type { Attributes } from '../domain/record.ts';
import { AttributeProfiler, FeatureReader } from './attribute-binning.ts';

function profile(records: Attributes[], schema: AttributeSchema | null = null): AttributeProfiler {
  const profiler = new AttributeProfiler(schema);
  for (const record of records) profiler.observe(record);
  return profiler;
}

function schemaOf(records: Attributes[], schema: AttributeSchema | null = null): Record<string, string> {
  const binnings = profile(records, schema).binnings();
  return Object.fromEntries(binnings.map(({ attribute, handling }) => [attribute, handling]));
}

test('numbers are NUMERICAL unless they take few distinct integer values, the rest is CATEGORICAL', () => {
  const records = Array.from({ length: 200 }, (_, n) => ({
    price: n / 7,
    year: 1900 + n,
    rating: n % 5,
    genre: n % 2 ? 'a' : ['b', 'c'],
    mixed: n % 3 ? n : 'unknown',
    sale: n % 2 === 0,
    nothing: null,
  }));
  assert.deepEqual(schemaOf(records), {
    price: 'NUMERICAL',
    year: 'NUMERICAL',
    rating: 'CATEGORICAL',
    genre: 'CATEGORICAL',
    mixed: 'CATEGORICAL',
    sale: 'CATEGORICAL',
  });
});

test('a given schema is not inferred again', () => {
  const records = [{ price: 1, zip: 12_345.5 }];
  assert.deepEqual(schemaOf(records, { price: 'NUMERICAL', zip: 'CATEGORICAL', later: 'NUMERICAL' }), {
    price: 'NUMERICAL',
    zip: 'CATEGORICAL',
  });
});

test('quantile bins hold about the same number of records each', () => {
  const records = Array.from({ length: 20_000 }, (_, n) => ({ x: ((n * 7919) % 20_000) ** 2 }));
  const profiler = profile(records);
  const reader = new FeatureReader(profiler.binnings());
  const counts = new Map<string, number>();
  for (const record of records) {
    const [feature] = reader.features(record);
    counts.set(feature, (counts.get(feature) ?? 0) + 1);
  }
  assert.equal(counts.size, 10);
  for (const count of counts.values()) assert.ok(count > 1500 && count < 2500, String(count));
});

test('features of arrays, numbers as categories and absent values', () => {
  const reader = new FeatureReader([
    { attribute: 'tags', handling: 'CATEGORICAL', edges: [] },
    { attribute: 'price', handling: 'NUMERICAL', edges: [10, 20] },
  ]);
  assert.deepEqual(reader.features({ tags: ['a', 'b', 'a', null, { deep: 1 }], price: 20 }), ['0:a', '0:b', '1:1']);
  assert.deepEqual(reader.features({ tags: 5, price: 'cheap', other: 1 }), ['0:5']);
  assert.deepEqual(reader.features({ tags: null, price: Number.NaN }), []);
  assert.deepEqual(reader.describe('1:1'), { attribute: 'price', value: 'above 10 up to 20' });
  assert.deepEqual(reader.describe('1:2'), { attribute: 'price', value: 'above 20' });
  assert.deepEqual(reader.describe('0:a:b'), { attribute: 'tags', value: 'a:b' });
});

test('attributes of any type are profiled and read without an error', () => {
  fc.assert(
    fc.property(fc.array(fc.dictionary(fc.string(), fc.anything())), (records) => {
      const reader = new FeatureReader(profile(records).binnings());
      for (const record of records) for (const feature of reader.features(record)) reader.describe(feature);
    }),
  );
});
