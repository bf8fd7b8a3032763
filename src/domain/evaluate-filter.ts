// What a filter means, one item at a time. The catalog evaluates the same over columns; a test compares the two.
//
// - Logic has two values. A comparison with an absent (or null) attribute does not hold; `!=` is the opposite of `=`, so it
//   holds for an absent attribute, as NOT (tags IN ('adult')) holds for an item without tags.
// - `=` and IN compare value and type: 5 is not '5'.
// - An array attribute meets a comparison when one of its elements does: `=` and IN mean "has", `<` means "has one below".
// - `<` and its kin compare numbers with numbers, and text with text by code units; across types nothing holds.
// - CONTAINS means "has the element" on an array, and "has the substring" on a text.
import { containsText } from './contains-text.ts';
import { type ComparisonOperator, type Filter, type FilterLiteral, ITEM_ID } from './filter.ts';
import type { Attributes } from './record.ts';
import { atOnce, type Steps } from './steps.ts';

export function evaluateFilter(filter: Filter, itemId: string, attributes: Attributes): boolean {
  return atOnce(evaluateSteps(filter, (attribute) => attributeOf(attribute, itemId, attributes)));
}

/** The same, condition by condition: `read` returns an attribute of the item, `undefined` or null when it lacks it. */
export function* evaluateSteps(filter: Filter, read: (attribute: string) => unknown): Steps<boolean> {
  switch (filter.kind) {
    case 'or':
      for (const operand of filter.operands) if (yield* evaluateSteps(operand, read)) return true;
      return false;
    case 'and':
      for (const operand of filter.operands) if (!(yield* evaluateSteps(operand, read))) return false;
      return true;
    case 'not':
      return !(yield* evaluateSteps(filter.operand, read));
    default:
      yield;
      return meetsCondition(filter, read(filter.attribute));
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
      if (typeof value === 'string') return typeof condition.value === 'string' && containsText(value, condition.value);
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
