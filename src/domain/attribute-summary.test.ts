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
  const statistics = summaryOf(records).statistics({ id: 'NUMERICAL', far: 'NUMERICAL' });
  assert.equal(statistics.length, 1000);
  const id = statistics.find((one) => one.attribute === 'id')!;
  assert.equal(id.handling, 'NUMERICAL');
  assert.ok(id.distinct_is_lower_bound);
  assert.ok(statistics.every((one) => one.histogram.every((bin) => Number.isFinite(bin.from))));
});

test('bins are of one width and cover all numbers, one value has one bin, and texts have none', () => {
  const [price, same, text, stars] = summaryOf(
    Array.from({ length: 101 }, (_, n) => ({ price: n / 10, same: 7.5, text: 'x', stars: n % 5 })),
  ).statistics(null);
  const { histogram } = price;
  assert.equal(histogram[0].from, 0);
  assert.equal(histogram.at(-1)?.to, 10);
  for (const [n, bin] of histogram.entries()) {
    if (n > 0) assert.equal(bin.from, histogram[n - 1].to);
    assert.ok(Math.abs(bin.to - bin.from - 10 / histogram.length) < 1e-9);
  }
  assert.deepEqual(same.histogram, [{ from: 7.5, to: 7.5, count: 101 }]);
  assert.deepEqual([text.histogram, stars.histogram], [[], []], 'categories have no bins');
  assert.equal(text.distinct_is_lower_bound, false);
});

test('long texts are shown by their beginning, and objects are not values', () => {
  const [long, object] = summaryOf([{ long: 'x'.repeat(100_000), object: { a: 1 } }]).statistics(null);
  const { value } = long.top_values[0];
  assert.ok(typeof value === 'string' && value.length < 1000 && /^x+$/.test(value));
  assert.deepEqual(object.top_values, []);
});

test('each number is counted in the bin that it falls into, the largest in the last', () => {
  const values = [-10, -10, -5.5, 0, 29.9, 30];
  const [{ histogram }] = summaryOf(values.map((price) => ({ price }))).statistics({ price: 'NUMERICAL' });
  assert.equal(histogram.length, 20);
  const expected = histogram.map(
    ({ from, to }, n) => values.filter((value) => value >= from && (value < to || n === 19)).length,
  );
  assert.deepEqual(
    histogram.map(({ count }) => count),
    expected,
  );
  assert.deepEqual([histogram[0].count, histogram[2].count, histogram[5].count, histogram[19].count], [2, 1, 1, 2]);
});

test('only numbers have a range and a mean', () => {
  const [text, list] = summaryOf([{ text: 'x', list: [1, 2] }]).statistics(null);
  for (const { min, max, mean } of [text, list]) assert.deepEqual([min, max, mean], [null, null, null]);
  assert.deepEqual(summaryOf([{ text: 'x' }]).statistics({ text: 'NUMERICAL' })[0].histogram, []);
  const [mixed] = summaryOf([{ price: 1.5 }, { price: 'free' }, { price: 3 }]).statistics({ price: 'NUMERICAL' });
  assert.deepEqual([mixed.histogram[0].count, mixed.histogram.at(-1)?.count, mixed.mean], [1, 1, 2.25]);
});

test('whole numbers are categories up to 20 different ones', () => {
  const handlingOf = (count: number) => summaryOf(Array.from({ length: count }, (_, n) => ({ n }))).schema().n;
  assert.deepEqual([handlingOf(20), handlingOf(21)], ['CATEGORICAL', 'NUMERICAL']);
});

test('the 20 most frequent values are shown, texts up to 200 characters', () => {
  const records = Array.from({ length: 30 }, (_, n) => Array.from({ length: n + 1 }, () => ({ word: `w${n}` }))).flat();
  const [{ top_values, distinct }] = summaryOf(records).statistics(null);
  assert.equal(distinct, 30);
  assert.deepEqual(
    top_values.map(({ count }) => count),
    Array.from({ length: 20 }, (_, n) => 30 - n),
  );
  const texts = summaryOf([{ long: 'x'.repeat(200) }, { long: 'y'.repeat(201) }]).statistics(null)[0].top_values;
  assert.deepEqual(
    texts.map(({ value }) => value),
    ['x'.repeat(200), 'y'.repeat(200)],
  );
});

test('a thousand different values are counted exactly, of more the first thousand', () => {
  const statisticsOf = (count: number) =>
    summaryOf(Array.from({ length: count }, (_, n) => ({ id: `v${n}` }))).statistics(null)[0];
  const [exact, more] = [statisticsOf(1000), statisticsOf(1001)];
  assert.deepEqual([exact.distinct, exact.distinct_is_lower_bound], [1000, false]);
  assert.deepEqual([more.distinct, more.distinct_is_lower_bound], [1000, true]);
});

test('over all attributes 100,000 different values are counted', () => {
  const names = Array.from({ length: 101 }, (_, n) => `a${n}`);
  const records = Array.from({ length: 1000 }, (_, n) => Object.fromEntries(names.map((name) => [name, n])));
  const statistics = summaryOf(records).statistics(null);
  const counted = statistics.reduce((sum, { distinct }) => sum + distinct, 0);
  assert.equal(counted, 100_000);
  assert.ok(statistics.every((one) => one.distinct_is_lower_bound === one.distinct < 1000));
});

test('attributes that make the response too large are left out', () => {
  const names = Array.from({ length: 600 }, (_, n) => `${n}`.padEnd(250, '_'));
  const summary = summaryOf([Object.fromEntries(names.map((name) => [name, 'x']))]);
  const length = JSON.stringify(summary.schema()).length;
  assert.ok(length > 60_000 && length < 66_000, `${length}`);
  const texts = Array.from({ length: 20 }, (_, n) => `${n}`.padEnd(200, '.'));
  const statistics = summaryOf(texts.map((text) => Object.fromEntries(names.map((name) => [name, text])))).statistics(
    null,
  );
  const size = JSON.stringify(statistics).length;
  assert.ok(size > 2_000_000 && size < 2_150_000, `${size}`);
});
