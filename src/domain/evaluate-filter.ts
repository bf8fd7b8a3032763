// What a filter means, one item at a time. The catalog (models/) evaluates the same over columns; a test compares the two.
//
// - Logic has two values. A comparison with an absent (or null) attribute does not hold; `!=` is the opposite of `=`, so it
//   holds for an absent attribute, as NOT (tags IN ('adult')) holds for an item without tags.
// - `=` and IN compare value and type: 5 is not '5'.
// - An array attribute meets a comparison when one of its elements does: `=` and IN mean "has", `<` means "has one below".
// - `<` and its kin compare numbers with numbers, and text with text by code units; across types nothing holds.
// - CONTAINS means "has the element" on an array, and "has the substring" on a text.
import { type ComparisonOperator, type Filter, type FilterLiteral, ITEM_ID } from './filter.ts';
import type { Attributes } from './record.ts';

export function evaluateFilter(filter: Filter, itemId: string, attributes: Attributes): boolean {
  switch (filter.kind) {
    case 'or':
      return filter.operands.some((operand) => evaluateFilter(operand, itemId, attributes));
    case 'and':
      return filter.operands.every((operand) => evaluateFilter(operand, itemId, attributes));
    case 'not':
      return !evaluateFilter(filter.operand, itemId, attributes);
    default:
      return meetsCondition(filter, attributeOf(filter.attribute, itemId, attributes));
  }
}

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
      if (typeof value === 'string') return typeof condition.value === 'string' && value.includes(condition.value);
      return Array.isArray(value) && value.includes(condition.value);
  }
}

function attributeOf(attribute: string, itemId: string, attributes: Attributes): unknown {
  if (attribute === ITEM_ID) return itemId;
  return Object.hasOwn(attributes, attribute) ? attributes[attribute] : undefined;
}

function has(value: unknown, test: (element: unknown) => boolean): boolean {
  return Array.isArray(value) ? value.some(test) : value !== undefined && value !== null && test(value);
}

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
