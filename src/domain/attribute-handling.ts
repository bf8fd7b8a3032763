// Infers how an attribute without a schema is handled: numbers are NUMERICAL unless they have few distinct integer values;
// everything else is CATEGORICAL. An attribute with both numbers and texts is a category: its numbers are labels too.
import type { AttributeHandling } from './dataset.ts';

/** Integers with up to this many distinct values are categories. */
export const FEW_DISTINCT_INTEGERS = 20;

export function inferHandling(seen: {
  numbers: number;
  /** values that are not a single number, including arrays */
  others: number;
  onlyIntegers: boolean;
  /** exact up to FEW_DISTINCT_INTEGERS + 1 */
  distinct: number;
}): AttributeHandling {
  if (seen.numbers === 0 || seen.others > 0) return 'CATEGORICAL';
  return seen.onlyIntegers && seen.distinct <= FEW_DISTINCT_INTEGERS ? 'CATEGORICAL' : 'NUMERICAL';
}
