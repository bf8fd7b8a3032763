// Text → a filter that can be evaluated, for filters over items only. compile-filter.ts does the same in two steps for calls
// with a user, parameters or a time.
import type { Filter } from './filter.ts';
import { foldFilter } from './fold-filter.ts';
import { readFilter } from './read-filter.ts';

export function parseFilter(text: string): Filter {
  return foldFilter(readFilter(text));
}
