// Folding keeps the meaning of a filter: random filters are folded and compared with a naive evaluation of the written form.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evaluateFilter } from '../../../test/support/evaluate-filter.ts';
import { fc } from '../../../test/support/fast-check.ts';
import type { Attributes } from '../record.ts';
import type { ComparisonOperator, FilterExpression, WrittenFilter } from './filter.ts';
import { calculate, distanceKm, timeOf } from './filter-number.ts';
import { type FilterInputs, foldFilter } from './fold-filter.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');

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
