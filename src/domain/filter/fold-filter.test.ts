import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evaluateFilter } from '../../../test/support/evaluate-filter.ts';
import { AppError } from '../../errors.ts';
import type { Attributes } from '../record.ts';
import { compileFilter } from './compile-filter.ts';
import { distanceKm, timeOf } from './filter-number.ts';
import type { FilterInputs } from './fold-filter.ts';
import { printFilter } from './print-filter.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');
const INPUTS: FilterInputs = {
  params: {
    max: 20,
    brands: ['acme', 'zenith'],
    one: ['acme'],
    none: [],
    lat: 52.52,
    lon: 13.405,
    yes: true,
    item_id: 2,
  },
  user: {
    country: 'DE',
    age: 30,
    tags: ['vip', 7],
    'odd name': 'x',
    deep: { a: 1 },
    nothing: null,
    likes: [],
    broken: 'a\ud800',
  },
  context: { device: 'phone' },
  nowMs: NOW + 700,
};
const ITEM: Attributes = {
  brand: 'acme',
  price: 12,
  msrp: 20,
  countries: ['DE', 'AT'],
  published: '2026-11-10',
  added: NOW - 86_400_000,
  lat: 48.137,
  lon: 11.575,
  title: 'acme phone',
  sizes: [1, 2],
  days: 7,
  'user.age': 5,
  'my.user.age': 6,
  broken: 'a\ufffd',
};

function holds(text: string): boolean {
  return evaluateFilter(compileFilter(text).fold(INPUTS).filter, 'i1', ITEM);
}

function printed(text: string): string {
  return printFilter(compileFilter(text).fold(INPUTS).filter);
}

function refusal(text: string): AppError {
  try {
    compileFilter(text).fold(INPUTS);
  } catch (error) {
    assert.ok(error instanceof AppError, String(error));
    return error;
  }
  throw new Error(`accepted: ${text}`);
}

test('a filter may speak of the user, the context, parameters and the time, and may compute', () => {
  for (const text of [
    'countries = user.country',
    "user.country = 'DE' AND price < 20",
    "user.country IN ('DE', 'AT')",
    "user.tags CONTAINS 'vip'",
    'user.tags = 7',
    `user."odd name" = 'x'`,
    'user.missing IS NULL AND user.country IS NOT NULL AND user.nothing IS NULL AND user.likes IS NOT NULL',
    "context.device = 'phone'",
    'title CONTAINS context.device',
    'price < $max',
    '$max > price',
    "'acme' = brand",
    'brand IN $brands',
    'brand = $brands AND NOT (brand != $brands) AND title != $brands',
    "brand IN ($brands, 'other')",
    'brand NOT IN $none',
    'days IN user.tags',
    'price NOT IN user.tags AND days NOT IN context.device',
    '12 <= price AND 12 >= price AND 11 < price AND 13 > price AND 13 != price AND 12 = price',
    'NOT (13 <= price) AND NOT (11 >= price) AND NOT (12 < price) AND NOT (12 > price)',
    "'i1' = item_id",
    'price <= msrp * 0.6',
    'price < msrp',
    'price != (msrp)',
    'price + 8 = (msrp)',
    '(price + 3) * 2 > 29',
    'price -2 = 10',
    '(price + 1) -2 = 11',
    '"price" -2 = 10',
    '$max -8 = (price)',
    '14 -2 = price',
    '$item_id + 1 = 3',
    '-price < 0',
    'price / 0 IS NULL',
    'missing + 1 IS NULL',
    'sizes * 2 IS NULL',
    'published < now() OR time(published) < now()',
    'days_since(published) > 5 AND days_since(published) < 6',
    'days_since(added) = 1',
    'DAYS_SINCE(added) = 1',
    'added < now() - 1000',
    'distance_km(lat, lon, $lat, $lon) > 500 AND distance_km(lat, lon, $lat, $lon) < 510',
    'distance_km(lat, lon, 48.137, 11.575) < 0.001',
    'user.age - 10 > price',
    '"user.age" = 5',
    'my.user.age = 6',
    'broken = user.broken',
    '(price + 3) IN (15, 99)',
    'price IN (10 + 2) AND price IN (5, time(12)) AND price NOT IN (distance_km(1, 2, 3, 4))',
    "title CONTAINS $one AND title CONTAINS 'phone'",
  ]) {
    assert.equal(holds(text), true, text);
  }
});

test('what is absent meets no comparison, and != is the opposite of =', () => {
  for (const name of [
    'user.missing',
    'user.deep',
    'context.missing',
    'user.missing + 1',
    'user.country * 2',
    '5 / 0',
  ]) {
    assert.equal(holds(`price = ${name}`), false, name);
    assert.equal(holds(`price < ${name}`), false, name);
    assert.equal(holds(`price >= ${name}`), false, name);
    assert.equal(holds(`${name} IN (1, 2)`), false, name);
    assert.equal(holds(`price != ${name}`), true, name);
    assert.equal(holds(`${name} IS NULL`), true, name);
  }
  for (const name of ['missing', 'brand', 'sizes']) {
    assert.equal(holds(`${name} + 1 = 2`), false, name);
    assert.equal(holds(`${name} + 1 != 2`), true, name);
    assert.equal(holds(`${name} * 1 < 1e9`), false, name);
    assert.equal(holds(`days_since(${name}) > -1e9`), false, name);
  }
});

test('a list of the user meets an order when one of its values does', () => {
  const meets = (text: string, price: unknown, limits: readonly (string | number)[]) =>
    evaluateFilter(compileFilter(text).fold({ user: { limits }, nowMs: NOW }).filter, 'i1', { price } as Attributes);
  for (const limits of [
    [5, 20, 10],
    [20, 10, 5],
    [10, 5, 20],
    ['m', 5, 20, 'c'],
  ]) {
    assert.equal(meets('price < user.limits', 15, limits), true, `15 is below 20 of ${limits}`);
    assert.equal(meets('price < user.limits', 20, limits), false, `nothing of ${limits} is above 20`);
    assert.equal(meets('price <= user.limits', 20, limits), true, `20 is in ${limits}`);
    assert.equal(meets('price <= user.limits', 21, limits), false, `nothing of ${limits} is 21 or more`);
    assert.equal(meets('price > user.limits', 7, limits), true, `7 is above 5 of ${limits}`);
    assert.equal(meets('price > user.limits', 5, limits), false, `nothing of ${limits} is below 5`);
    assert.equal(meets('price >= user.limits', 5, limits), true, `5 is in ${limits}`);
    assert.equal(meets('user.limits >= price', 20, limits), true, `the list may be on the left`);
    assert.equal(meets('price < user.limits', 'd', limits), limits.includes('m'), `texts are compared with texts`);
  }
});

test('what is constant for a call is folded, so that filters that mean the same are the same', () => {
  assert.equal(printed('countries = user.country AND price < $max + 5'), "countries = 'DE' AND price < 25");
  assert.equal(printed('$max > price'), 'price < 20');
  assert.equal(printed("user.country = 'DE' AND price < 5"), 'price < 5');
  assert.equal(printed("user.country = 'FR' AND price < 5"), '1 = 0');
  assert.equal(printed("user.country = 'FR' OR price < 5"), 'price < 5');
  assert.equal(printed('NOT (user.age > 18)'), '1 = 0');
  assert.equal(printed("user.country = 'DE' AND user.age > 18"), '1 = 1');
  assert.equal(printed("user.country = 'FR' OR user.age < 18"), '1 = 0');
  assert.equal(printed('brand = $brands'), "brand IN ('acme', 'zenith')");
  assert.equal(printed('price < user.tags'), "price < 7 OR price < 'vip'");
  assert.equal(printed('added > now() - 5 * 1000'), `added > ${NOW - 5000}`);
  assert.equal(printed('days_since(added) < 3'), `((${NOW} - time(added)) / 86400000) < 3`);
  assert.equal(printed('distance_km(lat, lon, $lat, $lon) < 5'), 'distance_km((lat), (lon), 52.52, 13.405) < 5');
  assert.equal(printed('distance_km($lat, $lon, $lat, $lon) < 5'), '1 = 1');
  const plain = compileFilter('price < 20');
  assert.equal(plain.fold({ nowMs: 0 }), plain.fold(INPUTS), 'a filter without inputs is folded once');
});

test('a filter says what it needs', () => {
  const needs = (text: string) => {
    const { item, now, user, context, params } = compileFilter(text).needs;
    return { item, now, user: [...user], context: [...context], params: [...params] };
  };
  const nothing = { item: false, now: false, user: [], context: [], params: [] };
  assert.deepEqual(needs('price < 20'), { ...nothing, item: true });
  assert.deepEqual(needs("user.country = 'DE'"), { ...nothing, user: ['country'] });
  assert.deepEqual(needs("NOT (user.country = 'DE' AND context.device IS NULL)"), {
    ...nothing,
    user: ['country'],
    context: ['device'],
  });
  assert.deepEqual(needs('user.tags CONTAINS $tag OR time(user.since) < 5'), {
    ...nothing,
    user: ['tags', 'since'],
    params: ['tag'],
  });
  assert.deepEqual(needs('distance_km(lat, user.lon, $lat, 1 + context.lon) < 5'), {
    ...nothing,
    item: true,
    user: ['lon'],
    context: ['lon'],
    params: ['lat'],
  });
  assert.deepEqual(needs('price IN (user.age, $max) OR days_since(added) < context.days'), {
    item: true,
    now: true,
    user: ['age'],
    context: ['days'],
    params: ['max'],
  });
});

test('what is wrong with functions, parameters and numbers is refused with its position', () => {
  const cases: [text: string, position: number, says: RegExp][] = [
    ['price < $missing', 9, /filter_params has no missing/],
    ['price < $nothing', 9, /filter_params has no nothing/],
    ['genre = "Drama"', 9, /single quotes: 'Drama'/],
    ['genre != Drama', 10, /single quotes: 'Drama'/],
    ['price "=" 5', 7, /one of = !=/],
    ['price , 5', 7, /one of = !=/],
    ['price < $max + $yes', 16, /\$yes, so it must be a number/],
    ["price < 5 + 'a'", 13, /a number/],
    ['nov() < 5', 1, /Unknown function nov \(did you mean now\?\)/],
    ['frobnicate(1) < 5', 1, /Unknown function frobnicate \(known functions are now, time, days_since, distance_km\)/],
    ['price < now(1)', 9, /now takes nothing; found 1/],
    ['distance_km(lat, lon) < 5', 1, /4 values: latitude, longitude, latitude, longitude; found 2/],
    ['days_since() < 5', 1, /1 value: a time; found 0/],
    ['days_since(added < 5', 18, /, or \)/],
    ['item_id + 1 = 5', 1, /an id is a text/],
    ['time(item_id) > 5', 6, /an id is a text/],
    ['price + 1', 10, /one of = !=/],
    ['(price + 1)', 12, /one of = !=/],
    ['(price = 1) + 1', 13, /AND, OR or the end/],
    ['1 + (price = 1) < 5', 3, /both sides of \+/],
    ['-(price = 1) < 5', 1, /number after -/],
    ['price < item_id', 9, /an id is a text/],
    ['item_id < (price)', 1, /an id is a text/],
    ['price * * 2 < 5', 9, /a value/],
    ['price CONTAINS title', 16, /single quotes: 'title'/],
    ['price + 1 CONTAINS 5', 11, /CONTAINS is for texts and lists/],
    ['time(price) CONTAINS 5', 13, /CONTAINS is for texts and lists/],
    ['distance_km(lat, 1, 2, 3) CONTAINS 5', 27, /CONTAINS is for texts and lists/],
    ['price IN (1, distance_km(1, lon, 2, 3))', 14, /a value/],
    ['price IN (1 + msrp)', 11, /a value/],
    ['price IN (time(added))', 11, /a value/],
    ["'DE' IN countries", 9, /a list of values, a \$parameter or an attribute of the user/],
    ['price < user.', 14, /name of an attribute after user\./],
    ['price < user. "a"', 15, /name of an attribute after user\./],
    ['price < $', 9, /Unexpected character/],
    [`price < 1${' + 1'.repeat(65)}`, 267, /at most 64/],
    [`price < now()${' + now()'.repeat(32)}`, 265, /at most 64/],
    [`title CONTAINS $many`, 16, /more than 128 conditions/],
    ['title IN $long', 10, /at most 500 values; this one has 501/],
    ['title = $text', 9, /more than 16,384 characters/],
    ['title IN $mixed', 10, /more than 16,384 characters/],
  ];
  const inputs: FilterInputs = {
    ...INPUTS,
    params: {
      ...INPUTS.params,
      many: Array.from({ length: 129 }, (_, n) => `${n}`),
      long: Array.from({ length: 501 }, (_, n) => n),
      text: 'x'.repeat(16_385),
      mixed: [1, 'x'.repeat(16_384)],
      nothing: null,
      few: Array.from({ length: 128 }, (_, n) => `${n}`),
      list: Array.from({ length: 500 }, (_, n) => n),
      short: 'x'.repeat(16_384),
    },
  };
  for (const text of ['title CONTAINS $few', 'title IN $list', 'title = $short', `price < 1${' + 1'.repeat(64)}`]) {
    assert.doesNotThrow(() => compileFilter(text).fold(inputs), text);
  }
  for (const [text, position, says] of cases) {
    let error: unknown;
    try {
      compileFilter(text).fold(inputs);
    } catch (thrown) {
      error = thrown;
    }
    assert.ok(error instanceof AppError && error.code === 'INVALID_FILTER', `${text} → ${error}`);
    assert.match(error.message, says, text);
    assert.deepEqual(error.extra, { position }, `${text} → ${error.message}`);
  }
  assert.equal(refusal('price < $missing').errors?.[0].pointer, '/filter_params/missing');
});

test('times are read from numbers and ISO texts, in UTC unless they say otherwise', () => {
  assert.equal(timeOf(5), 5);
  assert.equal(timeOf('2026-11-15'), Date.UTC(2026, 10, 15));
  assert.equal(timeOf('2026-11'), Date.UTC(2026, 10, 1));
  assert.equal(timeOf('2026'), Date.UTC(2026, 0, 1));
  assert.equal(timeOf('2026-11-15 06:30'), Date.UTC(2026, 10, 15, 6, 30));
  assert.equal(timeOf('2026-11-15T06:30:01.5Z'), Date.UTC(2026, 10, 15, 6, 30, 1, 500));
  assert.equal(timeOf('2026-11-15T06:30+02:00'), Date.UTC(2026, 10, 15, 4, 30));
  assert.equal(timeOf('2026-11-15T06:30:01-02:30'), Date.UTC(2026, 10, 15, 9, 0, 1));
  assert.equal(timeOf('2026-11T06:30'), Date.UTC(2026, 10, 1, 6, 30));
  assert.equal(timeOf('2026 06:30:01.123456789'), Date.UTC(2026, 0, 1, 6, 30, 1, 123));
  const zone = process.env.TZ;
  process.env.TZ = 'America/New_York';
  try {
    assert.equal(timeOf('2026-11-15 06:30'), Date.UTC(2026, 10, 15, 6, 30), 'wherever the service runs');
  } finally {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  }
  for (const value of [
    ...['yesterday', '2026-13-01', '15.11.2026', '', true, null, undefined, ['2026-11-15']],
    ...['x2026-11-15', '2026-11-15x', '2026-11-1', '26-11-15', '2026-11-15T06', '2026-11-15T06:30Z+01:00'],
    ...[
      '2026-11-15T06:30:01.',
      '2026-11-15T06:30:01.1234567890',
      '2026-11-15T6:30',
      '2026-11-15T06:30:1',
      '2026-11-15Z',
    ],
  ]) {
    assert.ok(Number.isNaN(timeOf(value)), String(value));
  }
});

test('distances are those of a globe', () => {
  const near = (actual: number, expected: number) =>
    assert.ok(Math.abs(actual - expected) < expected * 0.003, `${actual}`);
  near(distanceKm(52.52, 13.405, 48.137, 11.575), 504.4);
  near(distanceKm(40.7128, -74.006, 51.5074, -0.1278), 5570);
  near(distanceKm(0, 179.5, 0, -179.5), 111.2);
  near(distanceKm(90, 0, -90, 77), 20_015);
  assert.equal(distanceKm(10, 20, 10, 20), 0);
  assert.ok(Number.isNaN(distanceKm(91, 0, 0, 0)) && Number.isNaN(distanceKm(0, 0, -91, 0)));
  assert.ok(Number.isNaN(distanceKm(1, Number.NaN, 0, 0)));
});
