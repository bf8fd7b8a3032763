// Evaluates a filter for one item at a time, which defines what filters mean. The catalog evaluates the same over columns; a test
// compares the two.
//
// - Logic has two values. A comparison with an absent (or null) attribute does not hold; `!=` is the opposite of `=`, so it
//   holds for an absent attribute, as NOT (tags IN ('adult')) holds for an item without tags.
// - `=` and IN compare value and type: 5 is not '5'.
// - An array attribute meets a comparison when one of its elements does: `=` and IN mean "has", `<` means "has one below".
// - `<` and its kin compare numbers with numbers, and text with text by code units; across types nothing holds.
// - Computed numbers are compared as numbers; what cannot be computed is absent.
// - CONTAINS means "has the element" on an array, and "has the substring" on a text.

import type { Steps } from '../../base/steps.ts';
import type { Filter } from './filter.ts';
import { computeNumber } from './filter-number.ts';
import { compares, meetsCondition } from './meets-condition.ts';

/**
 * Evaluates condition by condition, in steps. `read` returns an attribute of the item, `undefined` or null if the item lacks it.
 */
export function* evaluateSteps(filter: Filter, read: (attribute: string) => unknown): Steps<boolean> {
  switch (filter.kind) {
    case 'or':
      for (const operand of filter.operands) if (yield* evaluateSteps(operand, read)) return true;
      return false;
    case 'and':
      for (const operand of filter.operands) if (!(yield* evaluateSteps(operand, read))) return false;
      return true;
    case 'not':
      return !(yield* evaluateSteps(filter.operand, read));
    case 'constant':
      return filter.holds;
    case 'compute':
      return compares(filter.operator, computeNumber(filter.left, read), computeNumber(filter.right, read));
    default:
      yield;
      return meetsCondition(filter, read(filter.attribute));
  }
}
