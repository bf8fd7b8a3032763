// Text → a filter that can be evaluated, for texts that speak of items only. Where a call brings a user, parameters or a time,
// compile-filter.ts does the same in two steps.
import type { Filter } from './filter.ts';
import { foldFilter } from './fold-filter.ts';
import { readFilter } from './read-filter.ts';

export function parseFilter(text: string): Filter {
  return foldFilter(readFilter(text));
}
