// Numbers that filters compute. NaN means "absent": no attribute, not a number, or a result that is not finite, as after
// a division by 0. Whatever is computed from it is absent too.
import type { ArithmeticOperator, NumberExpression } from './filter.ts';

const EARTH_RADIUS_KM = 6371.0088;
const RADIANS = Math.PI / 180;
/** A date, with or without a time, with or without an offset. */
const ISO_TIME = /^(\d{4}(?:-\d{2}(?:-\d{2})?)?)(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:\d{2})?)?$/;

/** `read` returns an attribute of the item. */
export function computeNumber(expression: NumberExpression, read: (attribute: string) => unknown): number {
  switch (expression.kind) {
    case 'number':
      return expression.value;
    case 'attribute':
      return numberOf(read(expression.name));
    case 'time':
      return timeOf(read(expression.name));
    case 'distance': {
      const [latitude, longitude, toLatitude, toLongitude] = expression.of.map((part) => computeNumber(part, read));
      return distanceKm(latitude, longitude, toLatitude, toLongitude);
    }
    case 'arithmetic':
      return calculate(
        expression.operator,
        computeNumber(expression.left, read),
        computeNumber(expression.right, read),
      );
  }
}

export function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : Number.NaN;
}

/** Milliseconds since 1970 of a number (they already are) or of an ISO 8601 text, UTC unless it says otherwise. */
export function timeOf(value: unknown): number {
  if (typeof value !== 'string' || value.length > 40) return numberOf(value);
  const found = ISO_TIME.exec(value);
  if (found === null) return Number.NaN;
  const [, date, time, offset = 'Z'] = found;
  return Date.parse(time === undefined ? date : `${date.padEnd(10, '-01')}T${time}${offset}`);
}

export function calculate(operator: ArithmeticOperator, left: number, right: number): number {
  const result =
    operator === '+' ? left + right : operator === '-' ? left - right : operator === '*' ? left * right : left / right;
  return Number.isFinite(result) ? result : Number.NaN;
}

/** Great-circle distance from degrees; absent if a latitude is invalid. */
export function distanceKm(latitude: number, longitude: number, toLatitude: number, toLongitude: number): number {
  if (!(Math.abs(latitude) <= 90 && Math.abs(toLatitude) <= 90)) return Number.NaN;
  const halfNorth = Math.sin(((toLatitude - latitude) * RADIANS) / 2);
  const halfEast = Math.sin(((toLongitude - longitude) * RADIANS) / 2);
  const squared =
    halfNorth * halfNorth + Math.cos(latitude * RADIANS) * Math.cos(toLatitude * RADIANS) * halfEast * halfEast;
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.sqrt(Math.min(1, squared)));
}
