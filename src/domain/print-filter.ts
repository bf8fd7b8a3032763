// Filter → filter_query text. parseFilter(printFilter(f)) is f again: the text is also what caches use as a key.

import type { Filter, FilterLiteral } from './filter.ts';
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
  }
}

function nested(filter: Filter, parenthesised: boolean): string {
  return parenthesised ? `(${printFilter(filter)})` : printFilter(filter);
}

function printName(name: string): string {
  return isPlainName(name) ? name : `"${name.replaceAll('"', '""')}"`;
}

function printLiteral(value: FilterLiteral): string {
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`;
  // String(-0) is "0"
  return Object.is(value, -0) ? '-0' : String(value);
}
