// Text → a filter that can be evaluated, for filters over items only.
import type { Filter } from '../../src/domain/filter/filter.ts';
import { foldFilter } from '../../src/domain/filter/fold-filter.ts';
import { readFilter } from '../../src/domain/filter/read-filter.ts';

export function parseFilter(text: string, nowMs: number = Date.now()): Filter {
  return foldFilter(readFilter(text), { nowMs });
}
