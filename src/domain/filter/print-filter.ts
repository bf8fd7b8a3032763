// Filter → filter_query text. Read and folded again it is the same filter. Caches use the text as a key.

import type { Filter, FilterLiteral, NumberExpression } from './filter.ts';
import { isPlainName } from './filter-tokens.ts';

export function printFilter(filter: Filter): string {
  switch (filter.kind) {
    case 'or':
      return filter.operands.map((operand) => nested(operand, operand.kind === 'or')).join(' OR ');
    case 'and':
      return filter.operands
        .map((operand) => nested(operand, operand.kind === 'or' || operand.kind === 'and'))
        .join(' AND ');
    case 'not':
      return `NOT ${nested(filter.operand, filter.operand.kind === 'or' || filter.operand.kind === 'and')}`;
    case 'compare':
      return `${printName(filter.attribute)} ${filter.operator} ${printLiteral(filter.value)}`;
    case 'in':
      return `${printName(filter.attribute)} IN (${filter.values.map(printLiteral).join(', ')})`;
    case 'contains':
      return `${printName(filter.attribute)} CONTAINS ${printLiteral(filter.value)}`;
    case 'null':
      return `${printName(filter.attribute)} IS NULL`;
    case 'compute':
      return `${printNumber(filter.left)} ${filter.operator} ${printNumber(filter.right)}`;
    case 'constant':
      return filter.holds ? '1 = 1' : '1 = 0';
  }
}

function nested(filter: Filter, parenthesised: boolean): string {
  return parenthesised ? `(${printFilter(filter)})` : printFilter(filter);
}

/** A lone attribute gets parentheses; without them the parser would take it for a text without quotes. */
function printNumber(number: NumberExpression): string {
  switch (number.kind) {
    case 'number':
      return printLiteral(number.value);
    case 'attribute':
      return `(${printName(number.name)})`;
    case 'time':
      return `time(${printName(number.name)})`;
    case 'distance':
      return `distance_km(${number.of.map(printNumber).join(', ')})`;
    case 'arithmetic':
      return `(${printNumber(number.left)} ${number.operator} ${printNumber(number.right)})`;
  }
}

function printName(name: string): string {
  return isPlainName(name) ? name : `"${name.replaceAll('"', '""')}"`;
}

function printLiteral(value: FilterLiteral): string {
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`;
  // String(-0) would be "0".
  return Object.is(value, -0) ? '-0' : String(value);
}
