// Parts of a filter's expressions that need no parser: functions, and checks of an expression before its values are known.

import { DAY_MS } from '../../base/durations.ts';
import { nearestName } from '../../base/nearest-name.ts';
import { plural } from '../../base/plural.ts';
import { type FilterExpression, ITEM_ID } from './filter.ts';
import { filterError } from './filter-tokens.ts';

type MakeCall = (args: readonly FilterExpression[], start: number) => FilterExpression;

const FUNCTIONS: Record<string, { readonly takes: readonly string[]; readonly make: MakeCall }> = {
  now: { takes: [], make: (_, start) => ({ kind: 'now', start }) },
  time: { takes: ['a time'], make: ([of], start) => ({ kind: 'time', of, start }) },
  days_since: {
    takes: ['a time'],
    make: ([of], start) => {
      const elapsed = difference({ kind: 'now', start }, { kind: 'time', of, start });
      return {
        kind: 'arithmetic',
        operator: '/',
        left: elapsed,
        right: { kind: 'literal', value: DAY_MS, start },
        start,
      };
    },
  },
  distance_km: {
    takes: ['latitude', 'longitude', 'latitude', 'longitude'],
    make: (args, start) => {
      for (const argument of args) refuseText(argument);
      return { kind: 'distance', of: args, start };
    },
  },
};

export function callFunction(name: string, args: readonly FilterExpression[], start: number): FilterExpression {
  const known = Object.keys(FUNCTIONS);
  const found = known.find((candidate) => candidate === name.toLowerCase());
  if (found === undefined) {
    const nearest = nearestName(name, known);
    const hint = nearest === null ? `known functions are ${known.join(', ')}` : `did you mean ${nearest}?`;
    throw filterError(start, `Unknown function ${name.slice(0, 40)} (${hint})`);
  }
  const { takes, make } = FUNCTIONS[found];
  if (args.length !== takes.length) {
    const expected = takes.length === 0 ? 'nothing' : `${plural(takes.length, 'value')}: ${takes.join(', ')}`;
    throw filterError(start, `${found} takes ${expected}; found ${args.length}`);
  }
  for (const argument of args) refuseItemId(argument);
  return make(args, start);
}

/** Whether the expression uses no attributes of items, so that it has one value per call. */
export function isConstant(expression: FilterExpression): boolean {
  switch (expression.kind) {
    case 'attribute':
      return false;
    case 'arithmetic':
      return isConstant(expression.left) && isConstant(expression.right);
    case 'time':
      return isConstant(expression.of);
    case 'distance':
      return expression.of.every(isConstant);
    default:
      return true;
  }
}

export function difference(left: FilterExpression, right: FilterExpression): FilterExpression {
  return { kind: 'arithmetic', operator: '-', left, right, start: left.start };
}

/** Throws if the expression cannot be a number. */
export function refuseText(expression: FilterExpression): void {
  refuseItemId(expression);
  if (expression.kind !== 'literal' || typeof expression.value === 'number') return;
  throw filterError(expression.start, `Expected a number, found ${JSON.stringify(expression.value).slice(0, 40)}`);
}

export function refuseItemId(expression: FilterExpression): void {
  if (expression.kind !== 'attribute' || expression.name !== ITEM_ID) return;
  throw filterError(expression.start, 'Expected a number, found item_id (an id is a text)');
}
