// Numbers computed from the attributes of many items, a block at a time: each part of an expression fills an array, so that
// the work for one item is a few instructions. Means exactly what domain/filter-number.ts says item by item.
import type { NumberExpression } from '../domain/filter.ts';
import { calculate, distanceKm } from '../domain/filter-number.ts';
import type { AttributeColumn } from './attribute-column.ts';

/** Items of a block. */
export const BLOCK_ITEMS = 2048;

export interface NumberSource {
  /** Writes the numbers of the items from `first` on; NaN where there is none. */
  fill(first: number, out: Float64Array): void;
  /** what it costs, in items of a plain condition */
  readonly work: number;
}

export type FindColumn = (attribute: string) => AttributeColumn | undefined;

export function numberSource(expression: NumberExpression, column: FindColumn): NumberSource {
  switch (expression.kind) {
    case 'number':
      return { work: 1, fill: (_, out) => void out.fill(expression.value) };
    case 'attribute': {
      const values = column(expression.name);
      return {
        work: 2,
        fill: (first, out) => (values === undefined ? void out.fill(Number.NaN) : values.readNumbers(first, out)),
      };
    }
    case 'time': {
      const values = column(expression.name);
      return {
        work: 4,
        fill: (first, out) => (values === undefined ? void out.fill(Number.NaN) : values.readTimes(first, out)),
      };
    }
    case 'distance':
      return distanceSource(expression.of.map((part) => numberSource(part, column)));
    case 'arithmetic':
      return arithmeticSource(expression, column);
  }
}

function arithmeticSource(
  { operator, left, right }: NumberExpression & { kind: 'arithmetic' },
  column: FindColumn,
): NumberSource {
  const [a, b] = [numberSource(left, column), numberSource(right, column)];
  const others = new Float64Array(BLOCK_ITEMS);
  return {
    work: a.work + b.work + 2,
    fill(first, out) {
      a.fill(first, out);
      b.fill(first, others);
      for (let n = 0; n < out.length; n++) out[n] = calculate(operator, out[n], others[n]);
    },
  };
}

function distanceSource(parts: readonly NumberSource[]): NumberSource {
  const [latitudes, longitudes, toLatitudes, toLongitudes] = parts.map(() => new Float64Array(BLOCK_ITEMS));
  return {
    work: parts.reduce((sum, { work }) => sum + work, 32),
    fill(first, out) {
      for (const [n, values] of [latitudes, longitudes, toLatitudes, toLongitudes].entries())
        parts[n].fill(first, values.subarray(0, out.length));
      for (let n = 0; n < out.length; n++) {
        out[n] = distanceKm(latitudes[n], longitudes[n], toLatitudes[n], toLongitudes[n]);
      }
    },
  };
}
