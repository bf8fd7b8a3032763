import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { AppError } from '../errors.ts';
import { compileFilter } from './compile-filter.ts';
import { evaluateFilter } from './evaluate-filter.ts';
import type { ComparisonOperator, FilterExpression, WrittenFilter } from './filter.ts';
import { calculate, distanceKm, timeOf } from './filter-number.ts';
import { type FilterInputs, foldFilter } from './fold-filter.ts';
import { printFilter } from './print-filter.ts';
import type { Attributes } from './record.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');
const INPUTS: FilterInputs = {
  params: { max: 20, brands: ['acme', 'zenith'], one: ['acme'], none: [], lat: 52.52, lon: 13.405, yes: true },
  user: { country: 'DE', age: 30, tags: ['vip', 7], 'odd name': 'x', deep: { a: 1 }, nothing: null, likes: [] },
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
  'user.age': 5,
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
    'brand = $brands',
    "brand IN ($brands, 'other')",
    'brand NOT IN $none',
    'price <= msrp * 0.6',
    'price < msrp',
    'price != (msrp)',
    'price + 8 = (msrp)',
    '(price + 3) * 2 > 29',
    'price -2 = 10',
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
    '(price + 3) IN (15, 99)',
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

test('what is constant for a call is folded, so that filters that mean the same are the same', () => {
  assert.equal(printed('countries = user.country AND price < $max + 5'), "countries = 'DE' AND price < 25");
  assert.equal(printed('$max > price'), 'price < 20');
  assert.equal(printed("user.country = 'DE' AND price < 5"), 'price < 5');
  assert.equal(printed("user.country = 'FR' AND price < 5"), '1 = 0');
  assert.equal(printed("user.country = 'FR' OR price < 5"), 'price < 5');
  assert.equal(printed('NOT (user.age > 18)'), '1 = 0');
  assert.equal(printed('brand = $brands'), "brand IN ('acme', 'zenith')");
  assert.equal(printed('price < user.tags'), "price < 7 OR price < 'vip'");
  assert.equal(printed('added > now() - 5 * 1000'), `added > ${NOW - 5000}`);
  assert.equal(printed('days_since(added) < 3'), `((${NOW} - time(added)) / 86400000) < 3`);
  assert.equal(printed('distance_km(lat, lon, $lat, $lon) < 5'), 'distance_km((lat), (lon), 52.52, 13.405) < 5');
  assert.equal(printed('distance_km($lat, $lon, $lat, $lon) < 5'), '1 = 1');
  const plain = compileFilter('price < 20');
  assert.equal(plain.fold({}), plain.fold(INPUTS), 'a filter without inputs is folded once');
});

test('a filter says what it needs', () => {
  const needs = (text: string) => {
    const { item, now, user, context, params } = compileFilter(text).needs;
    return { item, now, user: [...user], context: [...context], params: [...params] };
  };
  const nothing = { item: false, now: false, user: [], context: [], params: [] };
  assert.deepEqual(needs('price < 20'), { ...nothing, item: true });
  assert.deepEqual(needs("user.country = 'DE'"), { ...nothing, user: ['country'] });
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
    ['price < $max + $yes', 16, /\$yes, so it must be a number/],
    ["price < 5 + 'a'", 13, /a number/],
    ['nov() < 5', 1, /Unknown function nov \(did you mean now\?\)/],
    ['frobnicate(1) < 5', 1, /Unknown function frobnicate \(known functions are now, time, days_since, distance_km\)/],
    ['price < now(1)', 9, /now takes nothing; found 1/],
    ['distance_km(lat, lon) < 5', 1, /4 value\(s\): latitude, longitude, latitude, longitude; found 2/],
    ['days_since() < 5', 1, /1 value\(s\): a time; found 0/],
    ['days_since(added < 5', 18, /, or \)/],
    ['item_id + 1 = 5', 1, /an id is a text/],
    ['time(item_id) > 5', 6, /an id is a text/],
    ['price + 1', 10, /one of = !=/],
    ['(price + 1)', 12, /one of = !=/],
    ['(price = 1) + 1', 13, /AND, OR or the end/],
    ['1 + (price = 1) < 5', 3, /both sides of \+/],
    ['price * * 2 < 5', 9, /a value/],
    ['price CONTAINS title', 16, /single quotes: 'title'/],
    ['price + 1 CONTAINS 5', 11, /CONTAINS is for texts and lists/],
    ["'DE' IN countries", 9, /a list of values, a \$parameter or an attribute of the user/],
    ['price < user.', 14, /name of an attribute after user\./],
    ['price < user. "a"', 15, /name of an attribute after user\./],
    ['price < $', 9, /Unexpected character/],
    [`price < 1${' + 1'.repeat(65)}`, 267, /at most 64/],
    [`title CONTAINS $many`, 16, /more than 128 conditions/],
    ['title IN $long', 10, /at most 500 values; this one has 501/],
    ['title = $text', 9, /more than 16384 characters/],
  ];
  const inputs: FilterInputs = {
    ...INPUTS,
    params: {
      ...INPUTS.params,
      many: Array.from({ length: 129 }, (_, n) => `${n}`),
      long: Array.from({ length: 501 }, (_, n) => n),
      text: 'x'.repeat(16_385),
    },
  };
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
  for (const value of ['yesterday', '2026-13-01', '15.11.2026', '', true, null, undefined, ['2026-11-15']]) {
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
  assert.ok(Number.isNaN(distanceKm(91, 0, 0, 0)));
  assert.ok(Number.isNaN(distanceKm(1, Number.NaN, 0, 0)));
});

// The meaning once more, written the naive way: nothing is folded, each value is looked up when it is needed.
type Naive = { list: unknown[]; raw: unknown; isItem: boolean; isComputed: boolean };

function naiveValue(expression: FilterExpression, inputs: FilterInputs, item: Attributes): Naive {
  const of = (raw: unknown, isItem: boolean, isComputed = false): Naive => {
    const isMeant = (one: unknown) => ['string', 'number', 'boolean'].includes(typeof one) && !Number.isNaN(one);
    if (Array.isArray(raw)) return { list: raw.filter(isMeant), raw: raw.filter(isMeant), isItem, isComputed };
    return { list: isMeant(raw) ? [raw] : [], raw: isMeant(raw) ? raw : null, isItem, isComputed };
  };
  const number = (part: FilterExpression): { value: number; isItem: boolean } => {
    const { raw, isItem } = naiveValue(part, inputs, item);
    return { value: typeof raw === 'number' ? raw : Number.NaN, isItem };
  };
  switch (expression.kind) {
    case 'literal':
      return of(expression.value, false);
    case 'attribute':
      return of(item[expression.name], true);
    case 'scoped':
      return of(inputs[expression.scope]?.[expression.name], false);
    case 'param':
      return of(inputs.params?.[expression.name], false);
    case 'now':
      return of(NOW, false);
    case 'time': {
      const { raw, isItem } = naiveValue(expression.of, inputs, item);
      return of(timeOf(raw), isItem, isItem);
    }
    case 'arithmetic': {
      const [left, right] = [number(expression.left), number(expression.right)];
      const isItem = left.isItem || right.isItem;
      return of(calculate(expression.operator, left.value, right.value), isItem, isItem);
    }
    case 'distance': {
      const [a, b, c, d] = expression.of.map(number);
      const isItem = [a, b, c, d].some((part) => part.isItem);
      return of(distanceKm(a.value, b.value, c.value, d.value), isItem, isItem);
    }
  }
}

function naive(written: WrittenFilter, inputs: FilterInputs, item: Attributes): boolean {
  if (written.kind === 'and') return !written.operands.some((operand) => !naive(operand, inputs, item));
  if (written.kind === 'or') return written.operands.some((operand) => naive(operand, inputs, item));
  if (written.kind === 'not') return !naive(written.operand, inputs, item);
  const left = naiveValue(written.left, inputs, item);
  if (written.kind === 'null') return left.raw === null;
  if (written.kind === 'in') {
    const values = written.values.flatMap((value) => naiveValue(value, inputs, item).list);
    return left.list.some((element) => values.includes(element));
  }
  if (written.kind === 'contains') {
    return naiveValue(written.value, inputs, item).list.some((wanted) => {
      if (Array.isArray(left.raw)) return left.raw.includes(wanted);
      return typeof left.raw === 'string' && typeof wanted === 'string' && left.raw.includes(wanted);
    });
  }
  const right = naiveValue(written.right, inputs, item);
  const asNumbers = (left.isItem && right.isItem) || left.isComputed || right.isComputed;
  const elementsOf = (side: Naive) => (asNumbers ? [side.raw].filter((one) => typeof one === 'number') : side.list);
  const meets = (operator: ComparisonOperator) =>
    elementsOf(left).some((one) =>
      elementsOf(right).some((other) => {
        if (operator === '=') return one === other;
        if (typeof one !== typeof other || typeof one === 'boolean') return false;
        const [a, b] = [one as number, other as number];
        return { '<': a < b, '<=': a <= b, '>': a > b, '>=': a >= b, '!=': false }[operator];
      }),
    );
  return written.operator === '!=' ? !meets('=') : meets(written.operator);
}

const name = fc.constantFrom('a', 'b', 'c');
const literal = fc.oneof(fc.integer({ min: -2, max: 3 }), fc.constantFrom('x', 'xy', '2026-11-14', ''), fc.boolean());
const start = fc.constant(0);
const number = fc.record({ kind: fc.constant('literal' as const), value: fc.integer({ min: -2, max: 3 }), start });
const constantLeaf = fc.oneof(
  fc.record({ kind: fc.constant('literal' as const), value: literal, start }),
  fc.record({
    kind: fc.constant('scoped' as const),
    scope: fc.constantFrom('user' as const, 'context' as const),
    name,
    start,
  }),
  fc.record({ kind: fc.constant('param' as const), name, start }),
  fc.record({ kind: fc.constant('now' as const), start }),
) as fc.Arbitrary<FilterExpression>;
const attributeLeaf = fc.record({
  kind: fc.constant('attribute' as const),
  name,
  start,
}) as fc.Arbitrary<FilterExpression>;
// Parameters are left out of arithmetic, where a text among them is refused.
const operandLeaf = fc.oneof(
  number,
  attributeLeaf,
  constantLeaf.filter(({ kind }) => kind === 'scoped' || kind === 'now'),
);
const computed = (leaf: fc.Arbitrary<FilterExpression>): fc.Arbitrary<FilterExpression> =>
  fc.letrec<{ node: FilterExpression }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 2 },
      leaf,
      fc.record({
        kind: fc.constant('arithmetic' as const),
        operator: fc.constantFrom('+', '-', '*', '/' as const),
        left: tie('node'),
        right: tie('node'),
        start,
      }),
      fc.record({ kind: fc.constant('time' as const), of: tie('node'), start }),
      fc.record({
        kind: fc.constant('distance' as const),
        of: fc.tuple(tie('node'), tie('node'), number, number),
        start,
      }),
    ) as fc.Arbitrary<FilterExpression>,
  })).node;
const constant = fc.oneof(constantLeaf, computed(operandLeaf.filter(({ kind }) => kind !== 'attribute')));
const anything = fc.oneof(constant, attributeLeaf, computed(operandLeaf));
const writtenCondition = fc.oneof(
  fc.record({
    kind: fc.constant('compare' as const),
    operator: fc.constantFrom<ComparisonOperator>('=', '!=', '<', '<=', '>', '>='),
    left: anything,
    right: anything,
  }),
  fc.record({
    kind: fc.constant('in' as const),
    left: anything,
    values: fc.array(constant, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ kind: fc.constant('contains' as const), left: fc.oneof(constant, attributeLeaf), value: constant }),
  fc.record({ kind: fc.constant('null' as const), left: anything }),
) as fc.Arbitrary<WrittenFilter>;
const written = fc.oneof(
  writtenCondition,
  fc.record({
    kind: fc.constantFrom('and', 'or'),
    operands: fc.array(writtenCondition, { minLength: 2, maxLength: 3 }),
  }),
  fc.record({ kind: fc.constant('not'), operand: writtenCondition }),
) as fc.Arbitrary<WrittenFilter>;
const value = fc.oneof(literal, fc.array(literal, { maxLength: 2 }));
const attributes = fc.dictionary(name, fc.oneof(value, fc.constant(null)));
const params = fc.record({ a: value, b: value, c: value });

test('folding changes nothing about what a filter means', () => {
  fc.assert(
    fc.property(
      written,
      fc.record({ user: attributes, context: attributes, params }),
      attributes,
      (made, given, item) => {
        const inputs: FilterInputs = { ...given, nowMs: NOW };
        assert.equal(evaluateFilter(foldFilter(made, inputs), 'i', item), naive(made, inputs, item));
      },
    ),
    { numRuns: 3000 },
  );
});
