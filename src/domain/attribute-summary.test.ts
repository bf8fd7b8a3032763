import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AttributeSummary } from './attribute-summary.ts';

function summaryOf(records: Record<string, unknown>[]): AttributeSummary {
  const summary = new AttributeSummary();
  for (const attributes of records) summary.add(attributes);
  return summary;
}

test('numbers are numerical unless they take few whole values; the rest is categorical', () => {
  const records = Array.from({ length: 100 }, (_, n) => ({
    price: n / 3,
    year: 1950 + n,
    stars: n % 5,
    mixed: n % 2 ? n : 'x',
    tags: ['a'],
    on: true,
    gone: null,
  }));
  assert.deepEqual(summaryOf(records).schema(), {
    price: 'NUMERICAL',
    year: 'NUMERICAL',
    stars: 'CATEGORICAL',
    mixed: 'CATEGORICAL',
    tags: 'CATEGORICAL',
    on: 'CATEGORICAL',
  });
});

test('values are counted, most frequent first, and numbers fall into bins', () => {
  const summary = summaryOf([{ genre: ['a', 'b'], price: 0.5 }, { genre: 'a', price: 10 }, {}]);
  const [genre, price] = summary.statistics(null);
  assert.equal(summary.records, 3);
  assert.deepEqual(genre.top_values, [
    { value: 'a', count: 2 },
    { value: 'b', count: 1 },
  ]);
  assert.equal(genre.records, 2);
  assert.deepEqual([price.min, price.max, price.mean], [0.5, 10, 5.25]);
  assert.equal(
    price.histogram.reduce((sum, bin) => sum + bin.count, 0),
    2,
  );
});

test('what is declared wins, and hostile data stays bounded', () => {
  const records = Array.from({ length: 3000 }, (_, n) => ({
    [`name${n}`]: n,
    id: `value-${n}`,
    far: n % 2 ? 1e308 : -1e308,
  }));
  const statistics = summaryOf(records).statistics({ id: 'NUMERICAL' });
  assert.equal(statistics.length, 1000);
  const id = statistics.find((one) => one.attribute === 'id')!;
  assert.equal(id.handling, 'NUMERICAL');
  assert.ok(id.distinct_is_lower_bound);
  assert.ok(statistics.every((one) => one.histogram.every((bin) => Number.isFinite(bin.from))));
});

test('bins are of one width and cover all numbers, one value has one bin, and texts have none', () => {
  const [price, same, text] = summaryOf(
    Array.from({ length: 101 }, (_, n) => ({ price: n / 10, same: 7.5, text: 'x' })),
  ).statistics(null);
  const { histogram } = price;
  assert.equal(histogram[0].from, 0);
  assert.equal(histogram.at(-1)?.to, 10);
  for (const [n, bin] of histogram.entries()) {
    if (n > 0) assert.equal(bin.from, histogram[n - 1].to);
    assert.ok(Math.abs(bin.to - bin.from - 10 / histogram.length) < 1e-9);
  }
  assert.deepEqual(same.histogram, [{ from: 7.5, to: 7.5, count: 101 }]);
  assert.deepEqual(text.histogram, []);
  assert.equal(text.distinct_is_lower_bound, false);
});

test('long texts are shown by their beginning, and objects are not values', () => {
  const [long, object] = summaryOf([{ long: 'x'.repeat(100_000), object: { a: 1 } }]).statistics(null);
  const { value } = long.top_values[0];
  assert.ok(typeof value === 'string' && value.length < 1000 && /^x+$/.test(value));
  assert.deepEqual(object.top_values, []);
});
