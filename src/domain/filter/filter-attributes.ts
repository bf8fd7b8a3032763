// The item attributes a filter uses.
import type { Filter, NumberExpression } from './filter.ts';

/** Names, each once, in the order they appear; item_id among them. */
export function attributesIn(filter: Filter): Set<string> {
  const names = new Set<string>();
  collect(filter, names);
  return names;
}

function collect(filter: Filter, names: Set<string>): void {
  switch (filter.kind) {
    case 'and':
    case 'or':
      for (const operand of filter.operands) collect(operand, names);
      return;
    case 'not':
      collect(filter.operand, names);
      return;
    case 'compute':
      for (const side of [filter.left, filter.right]) collectFromNumber(side, names);
      return;
    case 'constant':
      return;
    default:
      names.add(filter.attribute);
  }
}

function collectFromNumber(number: NumberExpression, names: Set<string>): void {
  if (number.kind === 'attribute' || number.kind === 'time') names.add(number.name);
  else if (number.kind === 'distance') for (const part of number.of) collectFromNumber(part, names);
  else if (number.kind === 'arithmetic') for (const side of [number.left, number.right]) collectFromNumber(side, names);
}
