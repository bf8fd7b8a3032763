// Turns a requested list into a question: each filter text is compiled once, then folded with the call's inputs.
import type { CompiledFilter, FoldedFilter } from '../domain/filter/compile-filter.ts';
import { DEFAULT_TOUCH_DAYS } from '../domain/objective.ts';
import type { Project } from '../domain/project.ts';
import { DEFAULT_LIMIT, type ListKind, type ListRequest } from '../placements/list-request.ts';
import type { CallFilters } from './call-filters.ts';
import type { ListQuestion } from './list-question.ts';

export interface AskedList {
  /** the list itself, then those that fill it */
  readonly kinds: readonly ListKind[];
  readonly request: ListRequest;
  /** the filter, and further filters that must all be met */
  readonly filters?: readonly string[];
  /** hashes of the items that the user has seen too often */
  readonly tired?: ReadonlySet<number>;
}

export interface CompiledList {
  readonly filters: readonly CompiledFilter[];
  readonly boosts: readonly CompiledFilter[];
}

export type FoldedList = Pick<ListQuestion, 'filter' | 'boosts'>;

export const NO_FILTERS: CompiledList = { filters: [], boosts: [] };
export const NOT_FILTERED: FoldedList = { filter: null, boosts: [] };

/** Throws INVALID_FILTER with the position of the error. */
export function compileList(callFilters: CallFilters, { request, filters = [] }: AskedList): CompiledList {
  const texts = [request.filter_query, ...filters].filter((text) => typeof text === 'string' && text !== '');
  if (texts.length === 0 && !request.boosts?.length) return NO_FILTERS;
  return {
    filters: texts.map((text) => callFilters.compile(text!)),
    boosts: (request.boosts ?? []).map(({ filter_query }) => callFilters.compile(filter_query)),
  };
}

export async function foldList(
  callFilters: CallFilters,
  project: Project,
  request: ListRequest,
  compiled: CompiledList,
): Promise<FoldedList> {
  const { user_id = null, filter_params, context, boosts = [] } = request;
  const all = [...compiled.filters, ...compiled.boosts];
  const folded = await callFilters.foldAll(all, { project, user_id, filter_params, context });
  const filters = folded.slice(0, compiled.filters.length);
  const boosted = folded.slice(compiled.filters.length);
  return {
    filter: filters.length === 0 ? null : filters.length === 1 ? filters[0] : allOf(filters),
    boosts: boosts.map(({ factor }, n) => ({ factor, filter: boosted[n] })).filter(({ factor }) => factor !== 1),
  };
}

/** `shown`: items on earlier pages. */
export function questionOf(
  { kinds, request, tired }: AskedList,
  { filter, boosts }: FoldedList,
  shown: readonly string[],
): ListQuestion {
  return {
    kinds,
    user_id: request.user_id ?? null,
    session_events: request.session_events,
    context: request.context,
    limit: request.limit ?? DEFAULT_LIMIT,
    filter,
    boosts,
    pins: request.pins ?? [],
    diversity: request.diversity ?? null,
    ...(tired && { tired }),
    exclude_item_ids: request.exclude_item_ids ?? [],
    exclude_event_types: request.exclude_event_types ?? [],
    exclude_seen: request.exclude_seen ?? null,
    touch_days: request.touch_days ?? DEFAULT_TOUCH_DAYS,
    shown,
    explain: request.explain ?? false,
  };
}

function allOf(filters: readonly FoldedFilter[]): FoldedFilter {
  return {
    filter: { kind: 'and', operands: filters.map(({ filter }) => filter) },
    key: filters.map(({ key }) => `(${key})`).join(' AND '),
  };
}
