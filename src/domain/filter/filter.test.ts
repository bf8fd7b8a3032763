import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evaluateFilter } from '../../../test/support/evaluate-filter.ts';
import { fc } from '../../../test/support/fast-check.ts';
import { parseFilter } from '../../../test/support/parse-filter.ts';
import { AppError } from '../../errors.ts';
import type { Attributes } from '../record.ts';
import type { Filter, FilterLiteral, NumberExpression } from './filter.ts';
import { computeNumber } from './filter-number.ts';
import { printFilter } from './print-filter.ts';

const ITEM: Attributes = {
  genre: 'Drama',
  price: 12.5,
  tags: ['quiet', 'long'],
  sizes: [38, 42],
  sale: true,
  stock: null,
  'odd name': 'x',
  and: 1,
};

function holds(text: string): boolean {
  return evaluateFilter(parseFilter(text), 'i-1', ITEM);
}

function refusal(text: string): AppError {
  try {
    parseFilter(text);
  } catch (error) {
    assert.ok(error instanceof AppError, `expected an AppError, got ${error}`);
    return error;
  }
  throw new Error(`accepted: ${text}`);
}

test('the example of the contract holds where it should', () => {
  const text = "genre = 'Drama' AND price < 20 AND NOT (tags IN ('adult','violent')) AND stock IS NOT NULL";
  const filter = parseFilter(text);
  assert.equal(evaluateFilter(filter, 'a', { genre: 'Drama', price: 5, tags: ['quiet'], stock: 3 }), true);
  assert.equal(evaluateFilter(filter, 'a', { genre: 'Drama', price: 5, stock: 3 }), true);
  assert.equal(evaluateFilter(filter, 'a', { genre: 'Drama', price: 5, tags: ['quiet', 'adult'], stock: 3 }), false);
  assert.equal(evaluateFilter(filter, 'a', { genre: 'Drama', price: 5 }), false);
  assert.equal(evaluateFilter(filter, 'a', { genre: 'Drama', price: 25, stock: 3 }), false);
});

test('each operator means what the language says', () => {
  for (const text of [
    "genre = 'Drama'",
    "genre != 'Comedy'",
    "missing != 'anything'",
    'price >= 12.5',
    'price > -1e3',
    'price <= .125e2',
    "tags = 'long'",
    "tags != 'short'",
    "tags IN ('short', 'long')",
    "tags NOT IN ('short')",
    "tags CONTAINS 'quiet'",
    "genre CONTAINS 'ram'",
    "genre NOT CONTAINS 'xyz'",
    "genre > 'Comedy'",
    'sizes > 40',
    'sizes < 40',
    'sizes contains 38',
    'sale = true',
    'sale != FALSE',
    'stock IS NULL',
    'missing is null',
    'price IS NOT NULL',
    `"odd name" = 'x'`,
    '"and" = 1',
    "item_id = 'i-1'",
    "item_id in ('i-0','i-1')",
    'NOT NOT sale = true',
    "genre = 'Comedy' OR price < 20 AND sale = true",
    "(genre = 'Comedy' OR price < 20) AND sale = true",
  ]) {
    assert.equal(holds(text), true, text);
  }
  for (const text of [
    "price = '12.5'",
    "price < 'a'",
    "missing = 'x'",
    'missing < 5',
    "tags CONTAINS 'qui'",
    'genre CONTAINS 5',
    "sale = 'true'",
    "genre = 'drama'",
    "tags != 'long'",
    'NOT (price > 1 AND price < 100)',
    "constructor = 'x'",
    'toString IS NOT NULL',
  ]) {
    assert.equal(holds(text), false, text);
  }
});

test('a filter may be as long, as deep and as wide as the limits say', () => {
  for (const text of [
    `a = '${'x'.repeat(4096 - 6)}'`,
    `${'('.repeat(32)}a = 1${')'.repeat(32)}`,
    `${'NOT '.repeat(32)}a = 1`,
    `a IN (${'1,'.repeat(499)}1)`,
    Array(128).fill('a = 1').join(' OR '),
    Array(60).fill('(a = 1)').join(' AND '),
  ]) {
    assert.doesNotThrow(() => parseFilter(text), text);
  }
});

test('AND binds tighter than OR and NOT tighter than AND', () => {
  assert.deepEqual(parseFilter('a = 1 OR NOT b = 2 AND c = 3'), parseFilter('(a = 1) OR ((NOT (b = 2)) AND (c = 3))'));
});

test('a refusal names the position and what was expected', () => {
  const cases: [text: string, position: number, says: RegExp][] = [
    ['', 1, /an attribute name, NOT or \(, found the end/],
    ['genre', 6, /one of = != .* found the end/],
    ['genre = ', 9, /a value .* found the end/],
    ['genre = Drama', 9, /single quotes: 'Drama'/],
    ["genre == 'Drama'", 8, /a value/],
    ["genre = 'Drama", 9, /not closed/],
    ["genre IN 'Drama'", 10, /\( and a list/],
    ["genre IN ('Drama' 'Comedy')", 19, /, or \)/],
    ['genre IN ()', 11, /a value/],
    ['price < 20 AND', 15, /an attribute name/],
    ['(price < 20', 12, /AND, OR or \)/],
    ['price < 20)', 11, /AND, OR or the end/],
    ['price IS 5', 10, /NULL or NOT NULL/],
    ['price IS NOT 5', 14, /NULL/],
    ['price NOT = 5', 11, /IN or CONTAINS/],
    ['price < (stock = 1)', 9, /a value .* found a condition/],
    ['(stock = 1 OR price)', 20, /one of = !=/],
    ['price < NOT', 9, /a value/],
    ['(NOT price)', 11, /one of = !=/],
    ["-'a' < 5", 2, /a number/],
    ["distance_km('a', 1, 2, 3) < 5", 13, /a number/],
    ['price = NULL', 9, /IS NULL/],
    ['price < true', 9, /no order/],
    ['price < 20px', 9, /number/],
    ['price < 1e999', 9, /too large/],
    ['price & 1', 7, /Unexpected character/],
    ['price @ 😀', 7, /Unexpected character/],
    ['in = 5', 1, /written "in"/],
    ['"" = 5', 1, /attribute name "" is empty/],
    ['"price = 5', 1, /not closed/],
    [`${'('.repeat(40)}a = 1${')'.repeat(40)}`, 33, /more than 32 deep/],
    [`${'NOT '.repeat(5000)}a = 1`, 4097, /the limit is 4,096/],
    [`a IN (${'1,'.repeat(500)}1)`, 1007, /at most 500/],
    [Array(129).fill('a = 1').join(' OR '), 1153, /at most 128 conditions.*use IN/],
  ];
  for (const [text, position, says] of cases) {
    const error = refusal(text);
    assert.equal(error.code, 'INVALID_FILTER');
    assert.deepEqual(error.extra, { position }, `${text} → ${error.message}`);
    assert.match(error.message, says);
    assert.match(error.message, new RegExp(`position ${position} `));
    assert.equal(error.errors?.[0].pointer, '/filter_query');
  }
});

const literal: fc.Arbitrary<FilterLiteral> = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 6 }),
  fc.constantFrom('a', 'b', "it's", ''),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer({ min: -2, max: 2 }),
  fc.boolean(),
);
const attribute = fc.oneof(
  fc.constantFrom('a', 'b', 'c', 'item_id', 'and', 'NOT', 'é.x-1', '9x', 'with "quotes"'),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 5 }),
);
const condition: fc.Arbitrary<Filter> = fc.oneof(
  fc
    .record({
      kind: fc.constant('compare' as const),
      attribute,
      operator: fc.constantFrom('=', '!=', '<', '<=', '>', '>=' as const),
      value: literal,
    })
    .filter(
      ({ operator, value }) => typeof value !== 'boolean' || operator === '=' || operator === '!=',
    ) as fc.Arbitrary<Filter>,
  fc.record({ kind: fc.constant('in' as const), attribute, values: fc.array(literal, { minLength: 1, maxLength: 4 }) }),
  fc.record({ kind: fc.constant('contains' as const), attribute, value: literal }),
  fc.record({ kind: fc.constant('null' as const), attribute }),
);
const itemAttribute = attribute.filter((name) => name !== 'item_id');
const numberLiteral = fc.record({
  kind: fc.constant('number' as const),
  value: fc.oneof(fc.integer({ min: -3, max: 3 }), fc.double({ noNaN: true, noDefaultInfinity: true })),
});
const attributeOrTime = fc.record({
  kind: fc.constantFrom('attribute' as const, 'time' as const),
  name: itemAttribute,
});
/** Each expression contains an attribute, so that no part is constant. */
const { computed } = fc.letrec<{ computed: NumberExpression; operand: NumberExpression }>((tie) => ({
  computed: fc.oneof(
    { maxDepth: 3 },
    attributeOrTime.filter(({ kind }) => kind === 'time'),
    fc.record({
      kind: fc.constant('arithmetic' as const),
      operator: fc.constantFrom('+', '-', '*', '/' as const),
      left: attributeOrTime,
      right: tie('operand'),
    }),
    fc.record({
      kind: fc.constant('distance' as const),
      of: fc.tuple(tie('operand'), attributeOrTime, tie('operand'), tie('operand')),
    }),
  ) as fc.Arbitrary<NumberExpression>,
  operand: fc.oneof({ maxDepth: 3 }, numberLiteral, attributeOrTime, tie('computed')) as fc.Arbitrary<NumberExpression>,
}));
const computation: fc.Arbitrary<Filter> = fc.record({
  kind: fc.constant('compute' as const),
  operator: fc.constantFrom('=', '!=', '<', '<=', '>', '>=' as const),
  left: computed,
  right: fc.oneof(numberLiteral, attributeOrTime, computed),
}) as fc.Arbitrary<Filter>;
const filter: fc.Arbitrary<Filter> = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    condition,
    computation,
    fc.record({ kind: fc.constant('and' as const), operands: fc.array(tie('filter'), { minLength: 2, maxLength: 3 }) }),
    fc.record({ kind: fc.constant('or' as const), operands: fc.array(tie('filter'), { minLength: 2, maxLength: 3 }) }),
    fc.record({ kind: fc.constant('not' as const), operand: tie('filter') }),
  ),
})).filter;

test('what is printed parses to the same filter', () => {
  fc.assert(
    fc.property(filter, (made) => {
      const text = printFilter(made);
      fc.pre(text.length <= 4096 && (text.match(/[(+*/-]/g)?.length ?? 0) <= 30);
      assert.deepEqual(parseFilter(text), structuredClone(made));
    }),
    { numRuns: 500 },
  );
});

test('any text parses or is refused with INVALID_FILTER, never anything else', () => {
  const piece = fc.constantFrom(
    'a',
    ' ',
    "'",
    '"',
    '(',
    ')',
    ',',
    '=',
    '!',
    '<',
    '1',
    '-',
    '.',
    'AND ',
    'NOT ',
    'IN',
    'IS ',
    'NULL',
    '$a',
    '+',
    '*',
    'user.',
    'now()',
    'days_since(',
    '\0',
    '😀',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.array(piece).map((parts) => parts.join('')),
      ),
      (text) => {
        try {
          parseFilter(text);
        } catch (error) {
          assert.ok(error instanceof AppError && error.code === 'INVALID_FILTER', String(error));
        }
      },
    ),
    { numRuns: 1000 },
  );
});

// The meaning once more, written the naive way: every attribute is a list of elements, absent is the empty list.
function naive(made: Filter, itemId: string, attributes: Attributes): boolean {
  if (made.kind === 'and') return !made.operands.some((operand) => !naive(operand, itemId, attributes));
  if (made.kind === 'or') return made.operands.filter((operand) => naive(operand, itemId, attributes)).length > 0;
  if (made.kind === 'not') return naive(made.operand, itemId, attributes) === false;
  if (made.kind === 'constant') return made.holds;
  if (made.kind === 'compute') {
    const read = (name: string) => Object.entries(attributes).find(([known]) => known === name)?.[1];
    const [left, right] = [computeNumber(made.left, read), computeNumber(made.right, read)];
    const isPresent = Number.isFinite(left) && Number.isFinite(right);
    if (made.operator === '!=') return !(isPresent && left === right);
    const order = Math.sign(left - right) || (left === right ? 0 : left < right ? -1 : 1);
    return isPresent && { '=': [0], '<': [-1], '<=': [-1, 0], '>': [1], '>=': [0, 1] }[made.operator].includes(order);
  }
  const entry = Object.entries(attributes).find(([name]) => name === made.attribute);
  const value = made.attribute === 'item_id' ? itemId : (entry?.[1] ?? null);
  const elements = value === null ? [] : Array.isArray(value) ? value : [value];
  if (made.kind === 'null') return value === null;
  if (made.kind === 'in') return elements.some((element) => made.values.some((wanted) => wanted === element));
  if (made.kind === 'contains') {
    if (Array.isArray(value)) return elements.filter((element) => element === made.value).length > 0;
    return typeof value === 'string' && typeof made.value === 'string' && value.indexOf(made.value) >= 0;
  }
  const equal = elements.some((element) => element === made.value);
  if (made.operator === '=') return equal;
  if (made.operator === '!=') return !equal;
  const ordered = elements.filter((element) => typeof element === typeof made.value && typeof element !== 'boolean');
  const below = ordered.some((element) => element < made.value);
  const same = ordered.some((element) => element === made.value);
  const above = ordered.some((element) => element > made.value);
  return { '<': below, '<=': below || same, '>': above, '>=': above || same }[made.operator];
}

test('evaluation agrees with a naive evaluator', () => {
  const value = fc.oneof(literal, fc.array(literal, { maxLength: 3 }), fc.constant(null));
  const attributes = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'and', 'NOT'), value);
  fc.assert(
    fc.property(filter, fc.constantFrom('a', 'i1', ''), attributes, (made, itemId, item) => {
      assert.equal(evaluateFilter(made, itemId, item), naive(made, itemId, item));
    }),
    { numRuns: 1000 },
  );
});
