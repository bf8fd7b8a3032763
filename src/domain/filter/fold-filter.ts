// WrittenFilter → Filter: whatever is the same for all items of a call (the user, the context, parameters, the time, and what
// is computed from them alone) is replaced by its value, and conditions that are then decided are dropped. What is left
// depends on the item only, so that equal filters can be recognized and their item sets cached.
//
// - A value is a text, a number, true, false, a list of them, or absent. A list meets a comparison if one of its elements
//   does, on either side.
// - A comparison with an absent value does not hold; `!=` is the opposite of `=`, so it does.

import type { Attributes } from '../record.ts';
import type {
  ComparisonOperator,
  Filter,
  FilterExpression,
  FilterLiteral,
  NumberExpression,
  WrittenFilter,
} from './filter.ts';
import { MAX_FILTER_CONDITIONS, MAX_FILTER_INPUT, MAX_FILTER_LIST } from './filter.ts';
import { calculate, distanceKm, numberOf, timeOf } from './filter-number.ts';
import { filterError } from './filter-tokens.ts';
import { meetsCondition } from './meets-condition.ts';

export type FilterParam = FilterLiteral | readonly FilterLiteral[];

/** The inputs of a call besides the items. */
export interface FilterInputs {
  readonly params?: Readonly<Record<string, FilterParam | null>>;
  /** attributes of the user; default: none */
  readonly user?: Attributes;
  readonly context?: Attributes;
  readonly nowMs: number;
}

/** A constant, an attribute of the item, or a number computed from these. */
type Folded =
  | { readonly kind: 'constant'; readonly value: unknown; readonly elements: readonly FilterLiteral[] }
  | { readonly kind: 'attribute'; readonly name: string }
  | { readonly kind: 'computed'; readonly number: NumberExpression };

const FLIPPED: Record<ComparisonOperator, ComparisonOperator> = {
  '=': '=',
  '!=': '!=',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
};

export function foldFilter(written: WrittenFilter, inputs: FilterInputs): Filter {
  return new Folder(inputs).filter(written);
}

class Folder {
  readonly #inputs: FilterInputs;
  /** Rounded to whole seconds, so that calls in the same second share the sets of their filters. */
  readonly #nowMs: number;
  #conditions = 0;
  #inputLength = 0;

  constructor(inputs: FilterInputs) {
    this.#inputs = inputs;
    this.#nowMs = Math.floor(inputs.nowMs / 1000) * 1000;
  }

  filter(written: WrittenFilter): Filter {
    switch (written.kind) {
      case 'and':
      case 'or':
        return join(
          written.kind,
          written.operands.map((operand) => this.filter(operand)),
        );
      case 'not':
        return not(this.filter(written.operand));
      case 'compare':
        return this.#compare(this.#value(written.left), written.operator, this.#value(written.right));
      case 'in':
        return this.#in(written.left, written.values);
      case 'contains':
        return this.#contains(written.left, written.value);
      case 'null': {
        const left = this.#value(written.left);
        if (left.kind === 'attribute') return { kind: 'null', attribute: left.name };
        if (left.kind === 'constant') return constant(left.value === undefined);
        // Only an absent value is not equal to itself.
        return { kind: 'compute', operator: '!=', left: left.number, right: left.number };
      }
    }
  }

  #compare(left: Folded, operator: ComparisonOperator, right: Folded): Filter {
    if (left.kind === 'constant' && right.kind !== 'constant') return this.#compare(right, FLIPPED[operator], left);
    if (right.kind === 'constant') {
      if (left.kind === 'constant') return constant(holds(left.value, operator, right.elements));
      if (left.kind === 'attribute') return compareAttribute(left.name, operator, right.elements);
    }
    const [a, b] = [asNumber(left), asNumber(right)];
    if (isAbsent(a) || isAbsent(b)) return constant(operator === '!=');
    return { kind: 'compute', operator, left: a, right: b };
  }

  #in(written: FilterExpression, list: readonly FilterExpression[]): Filter {
    const left = this.#value(written);
    const values = list.flatMap((expression) => this.#constant(expression).elements);
    if (values.length > MAX_FILTER_LIST) {
      throw filterError(
        list[0].start,
        `A list can have at most ${MAX_FILTER_LIST} values; this one has ${values.length}`,
      );
    }
    if (left.kind === 'constant') return constant(holds(left.value, '=', values));
    if (values.length === 0) return constant(false);
    if (left.kind === 'attribute') return { kind: 'in', attribute: left.name, values };
    const equal = values.map((value) => this.#compare(left, '=', { kind: 'constant', value, elements: [value] }));
    return this.#join(written.start, equal);
  }

  #contains(written: FilterExpression, value: FilterExpression): Filter {
    const left = this.#value(written);
    const { elements } = this.#constant(value);
    if (left.kind === 'constant') {
      const has = (wanted: FilterLiteral) =>
        meetsCondition({ kind: 'contains', attribute: '', value: wanted }, left.value);
      return constant(elements.some(has));
    }
    if (left.kind === 'computed') return constant(false);
    const attribute = left.name;
    return this.#join(
      value.start,
      elements.map((wanted) => ({ kind: 'contains', attribute, value: wanted })),
    );
  }

  /** Joins the conditions that a list was expanded to. */
  #join(start: number, conditions: readonly Filter[]): Filter {
    this.#conditions += conditions.length;
    if (this.#conditions > MAX_FILTER_CONDITIONS) {
      throw filterError(start, `This list expands the filter to more than ${MAX_FILTER_CONDITIONS} conditions`);
    }
    return join('or', conditions);
  }

  #constant(expression: FilterExpression): Folded & { kind: 'constant' } {
    const folded = this.#value(expression);
    if (folded.kind !== 'constant') throw new TypeError('The parser lets only constants through here.');
    return folded;
  }

  #value(expression: FilterExpression): Folded {
    switch (expression.kind) {
      case 'literal':
        return { kind: 'constant', value: expression.value, elements: [expression.value] };
      case 'attribute':
        return { kind: 'attribute', name: expression.name };
      case 'scoped':
        return this.#input(ownValue(this.#inputs[expression.scope], expression.name), expression.start);
      case 'param':
        return this.#param(expression.name, expression.start);
      case 'now':
        return constantNumber(this.#nowMs);
      case 'time': {
        const of = this.#value(expression.of);
        if (of.kind === 'attribute') return { kind: 'computed', number: { kind: 'time', name: of.name } };
        return of.kind === 'constant' ? constantNumber(timeOf(of.value)) : of;
      }
      case 'arithmetic': {
        const left = this.#number(expression.left);
        const right = this.#number(expression.right);
        const { operator } = expression;
        if (isAbsent(left) || isAbsent(right)) return ABSENT;
        if (left.kind !== 'number' || right.kind !== 'number') {
          return { kind: 'computed', number: { kind: 'arithmetic', operator, left, right } };
        }
        return constantNumber(calculate(operator, left.value, right.value));
      }
      case 'distance': {
        const of = expression.of.map((part) => this.#number(part));
        if (of.some(isAbsent)) return ABSENT;
        if (of.every((part) => part.kind === 'number')) {
          const [latitude, longitude, toLatitude, toLongitude] = of.map(({ value }) => value);
          return constantNumber(distanceKm(latitude, longitude, toLatitude, toLongitude));
        }
        return { kind: 'computed', number: { kind: 'distance', of } };
      }
    }
  }

  #number(expression: FilterExpression): NumberExpression {
    const folded = this.#value(expression);
    if (expression.kind === 'param' && folded.kind === 'constant' && typeof folded.value !== 'number') {
      throw paramError(
        expression.name,
        expression.start,
        `The filter computes with $${expression.name}, so it must be a number,`,
      );
    }
    return asNumber(folded);
  }

  #param(name: string, start: number): Folded {
    const value = ownValue(this.#inputs.params, name);
    if (value !== undefined && value !== null) return this.#input(value, start);
    throw paramError(name, start, `filter_params has no ${name}; the filter uses $${name}`);
  }

  #input(value: unknown, start: number): Folded & { kind: 'constant' } {
    const elements = elementsOf(value);
    for (const element of elements) this.#inputLength += typeof element === 'string' ? element.length : 1;
    if (this.#inputLength > MAX_FILTER_INPUT) {
      throw filterError(
        start,
        `The values used by the filter have more than ${MAX_FILTER_INPUT.toLocaleString('en-US')} characters in total,`,
      );
    }
    return { kind: 'constant', value: Array.isArray(value) ? elements : (elements[0] ?? undefined), elements };
  }
}

const ABSENT: Folded = { kind: 'constant', value: undefined, elements: [] };

function constantNumber(value: number): Folded {
  return Number.isNaN(value) ? ABSENT : { kind: 'constant', value, elements: [value] };
}

function asNumber(folded: Folded): NumberExpression {
  if (folded.kind === 'attribute') return folded;
  return folded.kind === 'computed' ? folded.number : { kind: 'number', value: numberOf(folded.value) };
}

function isAbsent(number: NumberExpression): boolean {
  return number.kind === 'number' && Number.isNaN(number.value);
}

function holds(value: unknown, operator: ComparisonOperator, others: readonly FilterLiteral[]): boolean {
  if (operator === '!=') return !holds(value, '=', others);
  return others.some((other) => meetsCondition({ kind: 'compare', attribute: '', operator, value: other }, value));
}

function compareAttribute(attribute: string, operator: ComparisonOperator, values: readonly FilterLiteral[]): Filter {
  if (values.length === 0) return constant(operator === '!=');
  if (operator === '=' || operator === '!=') {
    if (values.length === 1) return { kind: 'compare', attribute, operator, value: values[0] };
    const isOne: Filter = { kind: 'in', attribute, values };
    return operator === '=' ? isOne : not(isOne);
  }
  // A value below any element is below the largest element of its type.
  const isBelow = operator === '<' || operator === '<=';
  const extremes = (['number', 'string'] as const).flatMap((type) => {
    const ofType = values.filter((value) => typeof value === type);
    const extreme = ofType.reduce<FilterLiteral | undefined>(
      (best, value) => (best === undefined || value > best === isBelow ? value : best),
      undefined,
    );
    return extreme === undefined ? [] : [extreme];
  });
  return join(
    'or',
    extremes.map((value) => ({ kind: 'compare', attribute, operator, value })),
  );
}

function join(kind: 'and' | 'or', operands: readonly Filter[]): Filter {
  const decisive = kind === 'or';
  if (operands.some((operand) => operand.kind === 'constant' && operand.holds === decisive)) return constant(decisive);
  const open = operands.filter(({ kind }) => kind !== 'constant');
  if (open.length === 0) return constant(!decisive);
  return open.length === 1 ? open[0] : { kind, operands: open };
}

function not(operand: Filter): Filter {
  return operand.kind === 'constant' ? constant(!operand.holds) : { kind: 'not', operand };
}

function constant(holds: boolean): Filter {
  return { kind: 'constant', holds };
}

function ownValue(record: Readonly<Record<string, unknown>> | undefined, name: string): unknown {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
}

/** The comparable parts of a value; anything else counts as absent. */
function elementsOf(value: unknown): FilterLiteral[] {
  return (Array.isArray(value) ? value : [value])
    .filter((element) => typeof element === 'string' || typeof element === 'boolean' || Number.isFinite(element))
    .map((element) => (typeof element === 'string' ? element.toWellFormed() : element));
}

function paramError(name: string, start: number, message: string) {
  return filterError(start, message, `/filter_params/${name}`);
}
