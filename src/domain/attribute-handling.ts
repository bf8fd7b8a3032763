// How an attribute is handled when no schema says so: numbers are NUMERICAL unless they take few distinct integer values,
// everything else is CATEGORICAL. A name with numbers and texts mixed is a category: its numbers are labels like the texts.
import type { AttributeHandling } from './dataset.ts';

/** Integers with at most so many distinct values are categories. */
export const FEW_DISTINCT_INTEGERS = 20;

export function inferHandling(seen: {
  numbers: number;
  /** values that are no single number, arrays included */
  others: number;
  onlyIntegers: boolean;
  /** exact up to FEW_DISTINCT_INTEGERS + 1 */
  distinct: number;
}): AttributeHandling {
  if (seen.numbers === 0 || seen.others > 0) return 'CATEGORICAL';
  return seen.onlyIntegers && seen.distinct <= FEW_DISTINCT_INTEGERS ? 'CATEGORICAL' : 'NUMERICAL';
}
