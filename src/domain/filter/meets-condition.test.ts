import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ComparisonOperator, FilterLiteral } from './filter.ts';
import { compares, conditionTest, meetsCondition } from './meets-condition.ts';

const compare = (operator: ComparisonOperator, given: unknown, value: FilterLiteral) =>
  meetsCondition({ kind: 'compare', attribute: 'a', operator, value }, given);
const contains = (given: unknown, value: FilterLiteral) =>
  meetsCondition({ kind: 'contains', attribute: 'a', value }, given);

test('values of one kind are compared, those of different kinds are unequal', () => {
  assert.deepEqual(
    (['=', '!=', '<', '<=', '>', '>='] as const).map((operator) => [1, 2, 3].map((n) => compare(operator, n, 2))),
    [
      [false, true, false],
      [true, false, true],
      [true, false, false],
      [true, true, false],
      [false, false, true],
      [false, true, true],
    ],
  );
  assert.equal(compare('<', 'apple', 'pear'), true);
  assert.equal(compare('<', '1', 2), false);
  assert.equal(compare('=', '2', 2), false);
  assert.equal(compare('!=', '2', 2), true);
});

test('booleans have no order', () => {
  for (const operator of ['<', '<=', '>', '>='] as const) assert.equal(compare(operator, false, true), false);
  assert.equal(compare('=', true, true), true);
});

test('one element of an array is enough, and none may be equal for !=', () => {
  assert.equal(compare('>', [1, 5], 4), true);
  assert.equal(compare('=', [1, 5], 4), false);
  assert.equal(compare('!=', [1, 5], 5), false);
  assert.equal(compare('!=', [1, 5], 4), true);
  assert.equal(meetsCondition({ kind: 'in', attribute: 'a', values: ['x', 5] }, [1, 5]), true);
});

test('what is absent meets only IS NULL and !=', () => {
  for (const absent of [undefined, null]) {
    assert.equal(meetsCondition({ kind: 'null', attribute: 'a' }, absent), true);
    assert.equal(compare('!=', absent, 1), true);
    assert.equal(compare('=', absent, 1), false);
    assert.equal(contains(absent, 'a'), false);
    assert.equal(meetsCondition({ kind: 'in', attribute: 'a', values: [1] }, absent), false);
  }
  assert.equal(meetsCondition({ kind: 'null', attribute: 'a' }, ''), false);
});

test('CONTAINS finds a text in a text and an element in an array', () => {
  assert.equal(contains('red wine', 'wine'), true);
  assert.equal(contains('no 1', 1), false);
  assert.equal(contains(['red wine'], 'wine'), false);
  assert.equal(contains([1, 'wine'], 'wine'), true);
  assert.equal(contains(11, 1), false);
});

test('a number that could not be computed meets only !=', () => {
  assert.equal(compares('!=', Number.NaN, 1), true);
  for (const operator of ['=', '<', '<=', '>', '>='] as const) {
    assert.equal(compares(operator, Number.NaN, 1), false);
  }
});

test('a test for many values is the same as for one', () => {
  for (const values of [
    ['x', 5],
    [true, 0],
  ] as FilterLiteral[][]) {
    const condition = { kind: 'in', attribute: 'a', values } as const;
    const meets = conditionTest(condition);
    for (const given of ['x', '5', 5, -0, true, null, undefined, [], [1, 5], [null, true], { x: 5 }]) {
      assert.equal(meets(given), meetsCondition(condition, given), JSON.stringify(given));
    }
  }
  assert.equal(conditionTest({ kind: 'null', attribute: 'a' })(undefined), true);
});
