// Tests a single value against a single condition: the leaves of domain/filter/evaluate-filter.ts, which defines their meaning.
import { containsText } from '../../base/contains-text.ts';
import type { ComparisonOperator, Filter, FilterLiteral } from './filter.ts';

export type FilterCondition = Extract<Filter, { attribute: string }>;

/** Whether one attribute's value meets a condition. `undefined` and null mean absent. */
export function meetsCondition(condition: FilterCondition, value: unknown): boolean {
  const absent = value === undefined || value === null;
  switch (condition.kind) {
    case 'null':
      return absent;
    case 'compare':
      if (condition.operator === '!=') return !has(value, (element) => element === condition.value);
      return has(value, (element) => compares(condition.operator, element, condition.value));
    case 'in':
      return has(value, (element) => condition.values.includes(element as FilterLiteral));
    case 'contains':
      if (typeof value === 'string') return typeof condition.value === 'string' && containsText(value, condition.value);
      return Array.isArray(value) && value.includes(condition.value);
  }
}

/** A test for many values. It does not search a long `in` list for each of them. */
export function conditionTest(condition: FilterCondition): (value: unknown) => boolean {
  if (condition.kind !== 'in') return (value) => meetsCondition(condition, value);
  const values = new Set<unknown>(condition.values);
  return (value) => has(value, (element) => values.has(element));
}

function has(value: unknown, test: (element: unknown) => boolean): boolean {
  return Array.isArray(value) ? value.some(test) : value !== undefined && value !== null && test(value);
}

/** NaN is absent: only `!=` holds. */
export function compares(operator: ComparisonOperator, left: unknown, right: FilterLiteral): boolean {
  if (operator === '=') return left === right;
  if (operator === '!=') return left !== right;
  if (typeof left !== typeof right || typeof left === 'boolean') return false;
  const value = left as number | string;
  if (operator === '<') return value < right;
  if (operator === '<=') return value <= right;
  if (operator === '>') return value > right;
  return value >= right;
}
