// Numbers computed from the attributes of many items, a block at a time: each part of an expression fills an array in one
// tight loop. Means exactly what domain/filter/filter-number.ts says item by item; what is constant is not computed again.
import type { ComparisonOperator, NumberExpression } from '../domain/filter/filter.ts';
import { distanceKm } from '../domain/filter/filter-number.ts';
import type { AttributeColumn } from './attribute-column.ts';

/** Number of items in a block. */
export const BLOCK_ITEMS = 2048;
/** Kilometers of a degree of latitude, and a little less, so that rounding never leaves out what is near. */
const KM_PER_DEGREE = 111.195;

export interface NumberSource {
  /** Writes the numbers of the items from `first` on; NaN where there is none. */
  fill(first: number, out: Float64Array): void;
  /** the work per item, in items of a plain condition */
  readonly work: number;
}

export type FindColumn = (attribute: string) => AttributeColumn | undefined;

export function numberSource(expression: NumberExpression, column: FindColumn): NumberSource {
  switch (expression.kind) {
    case 'number':
      return { work: 1, fill: (_, out) => void out.fill(expression.value) };
    case 'attribute': {
      const values = column(expression.name);
      return values === undefined ? NOTHING : { work: 2, fill: (first, out) => values.readNumbers(first, out) };
    }
    case 'time': {
      const values = column(expression.name);
      return values === undefined ? NOTHING : { work: 4, fill: (first, out) => values.readTimes(first, out) };
    }
    case 'distance':
      return distanceSource(expression.of, column, Number.POSITIVE_INFINITY);
    case 'arithmetic':
      return arithmeticSource(expression, column);
  }
}

/** Sets the bits of the items of a block, which begins with a word, whose left number compares so with the right one. */
export function compareNumbers(
  operator: ComparisonOperator,
  lefts: Float64Array,
  rights: Float64Array,
  { words, first }: { words: Uint32Array; first: number },
): void {
  // != is the opposite of =, also where a number is absent. Bits are gathered without branches: they are hard to predict.
  const less = Number(operator === '<' || operator === '<=');
  const more = Number(operator === '>' || operator === '>=');
  const equal = Number(operator !== '<' && operator !== '>');
  const negated = Number(operator === '!=');
  let bits = 0;
  for (let n = 0; n < lefts.length; n++) {
    const left = lefts[n];
    const right = rights[n];
    const order = (Number(left < right) & less) | (Number(left > right) & more) | (Number(left === right) & equal);
    bits |= (order ^ negated) << (n & 31);
    if ((n & 31) === 31 || n === lefts.length - 1) {
      words[(first + n) >>> 5] |= bits;
      bits = 0;
    }
  }
}

/** Distances in kilometers. Items that are certainly farther away than `withinKm` may be given as infinity. */
export function distanceSource(of: readonly NumberExpression[], column: FindColumn, withinKm: number): NumberSource {
  const parts = of.map((part) => numberSource(part, column));
  const blocks = parts.map(() => new Float64Array(BLOCK_ITEMS));
  const [latitudes, longitudes, toLatitudes, toLongitudes] = blocks;
  const withinDegrees = withinKm / KM_PER_DEGREE;
  return {
    work: parts.reduce((sum, { work }) => sum + work, 32),
    fill(first, out) {
      for (const [n, block] of blocks.entries()) parts[n].fill(first, block);
      for (let n = 0; n < out.length; n++) {
        const isFar = Math.abs(latitudes[n] - toLatitudes[n]) > withinDegrees;
        out[n] = isFar
          ? Number.POSITIVE_INFINITY
          : distanceKm(latitudes[n], longitudes[n], toLatitudes[n], toLongitudes[n]);
      }
    },
  };
}

const NOTHING: NumberSource = { work: 1, fill: (_, out) => void out.fill(Number.NaN) };

function arithmeticSource(
  { operator, left, right }: NumberExpression & { kind: 'arithmetic' },
  column: FindColumn,
): NumberSource {
  const [a, b] = [numberSource(left, column), numberSource(right, column)];
  const others = new Float64Array(BLOCK_ITEMS);
  const isRightConstant = right.kind === 'number';
  if (isRightConstant) b.fill(0, others);
  return {
    work: a.work + b.work + 2,
    fill(first, out) {
      a.fill(first, out);
      if (!isRightConstant) b.fill(first, others);
      switch (operator) {
        case '+':
          for (let n = 0; n < out.length; n++) out[n] = finite(out[n] + others[n]);
          return;
        case '-':
          for (let n = 0; n < out.length; n++) out[n] = finite(out[n] - others[n]);
          return;
        case '*':
          for (let n = 0; n < out.length; n++) out[n] = finite(out[n] * others[n]);
          return;
        case '/':
          for (let n = 0; n < out.length; n++) out[n] = finite(out[n] / others[n]);
      }
    },
  };
}

function finite(result: number): number {
  return result - result === 0 ? result : Number.NaN;
}
