// The filters of a call: compiled once for each text, then folded with what the call knows. The user is read from the store
// only if a filter speaks of it.

import { BoundedCache, textBytes } from '../base/bounded-cache.ts';
import { systemRuntime } from '../base/runtime.ts';
import { type CompiledFilter, compileFilter, type FoldedFilter } from '../domain/filter/compile-filter.ts';
import type { FilterParam } from '../domain/filter/fold-filter.ts';
import type { Project } from '../domain/project.ts';
import type { Attributes } from '../domain/record.ts';
import type { Store } from '../store/store.ts';

const COMPILED_BYTES = 8 * 1024 * 1024;
/** Estimated bytes of a compiled filter: per character of its text, plus a constant. */
const CHARACTER_BYTES = 50;
const FILTER_BYTES = 500;

export interface FilterCall {
  readonly project: Project;
  /** null for a visitor without an id */
  readonly user_id: string | null;
  readonly filter_params?: Readonly<Record<string, FilterParam>>;
  readonly context?: Attributes;
}

/** The part of the store that filters read. */
export interface FilterStore {
  readonly users: Pick<Store['users'], 'get'>;
}

export class CallFilters {
  readonly #store: FilterStore;
  readonly #now: () => number;
  readonly #compiled = new BoundedCache<string, CompiledFilter>({
    name: 'compiled_filters',
    maxBytes: COMPILED_BYTES,
    bytesOf: (_, text) => textBytes(text) + FILTER_BYTES + text.length * CHARACTER_BYTES,
  });

  constructor(store: FilterStore, now: () => number = systemRuntime.nowMs) {
    this.#store = store;
    this.#now = now;
  }

  /** Throws INVALID_FILTER with the position of the error. */
  compile(text: string): CompiledFilter {
    return this.#compiled.getOrMake(text, () => compileFilter(text));
  }

  /** Folds all filters with the same time and the same attributes of the user. */
  async foldAll(filters: readonly CompiledFilter[], call: FilterCall): Promise<FoldedFilter[]> {
    if (filters.length === 0) return [];
    const { project, user_id, context } = call;
    const user =
      user_id !== null && filters.some(({ needs }) => needs.user.size > 0)
        ? (await this.#store.users.get(project.user_dataset_id, user_id))?.attributes
        : undefined;
    const inputs = { params: call.filter_params, user, context, nowMs: this.#now() };
    return filters.map((filter) => filter.fold(inputs));
  }
}
