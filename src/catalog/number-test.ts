// A condition on a single number, in a form that a loop over a million of them decides without calling anything.
import type { FilterCondition } from '../domain/filter/meets-condition.ts';

export interface NumberTest {
  readonly low: number;
  readonly high: number;
  /** a bound that is not part of the range; NaN: both are */
  readonly except: number;
  /** instead of the range: one of these */
  readonly among: ReadonlySet<unknown> | null;
}

const NONE: NumberTest = { low: 1, high: 0, except: Number.NaN, among: null };

export function numberTest(condition: FilterCondition): NumberTest {
  if (condition.kind === 'in') return { ...NONE, among: new Set<unknown>(condition.values) };
  if (condition.kind !== 'compare' || typeof condition.value !== 'number') return NONE;
  const { operator, value } = condition;
  const except = operator === '<' || operator === '>' ? value : Number.NaN;
  const low = operator === '<' || operator === '<=' ? Number.NEGATIVE_INFINITY : value;
  const high = operator === '>' || operator === '>=' ? Number.POSITIVE_INFINITY : value;
  return { low, high, except, among: null };
}

export function passes({ low, high, except, among }: NumberTest, value: number): boolean {
  return among === null ? value >= low && value <= high && value !== except : among.has(value);
}
