// What a page token is bound to: the same call with the same fields, but for how many items, how they are shown, and what just
// happened. A list of a placement is the placement's and the call's as it was given. What the placement or a variant of an experiment
// makes of it may change between pages, its kinds too, and so may what other lists of the same page show.
import type { Project } from '../domain/project.ts';
import type { ListKind, ListRequest } from '../placements/list-request.ts';
import type { PagedList } from '../placements/page-token.ts';

export interface PagedCall {
  readonly kinds: readonly ListKind[];
  readonly request: ListRequest;
  readonly filters?: readonly string[];
  /** null or left out if no placement is used */
  readonly placement?: string | null;
  /** the body of a call of a placement */
  readonly call?: ListRequest;
}

export function pagedList(
  project: Pick<Project, 'account_id' | 'project_id'>,
  { kinds, request, filters, placement = null, call }: PagedCall,
): PagedList {
  const { exclude_item_ids, ...ofCall } = lasting(call ?? {});
  const which = placement === null || !call ? [kinds, filters, lasting(request)] : [placement, ofCall];
  return {
    accountId: project.account_id,
    projectId: project.project_id,
    identity: JSON.stringify(inOneForm(which)),
  };
}

/** The same for every way to write the same request: fields in any order, and null or left out. */
function inOneForm(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(inOneForm);
  const fields = Object.entries(value).filter(([, field]) => field !== undefined && field !== null);
  return Object.fromEntries(
    fields.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, field]) => [name, inOneForm(field)]),
  );
}

function lasting(request: ListRequest): Pick<ListRequest, 'exclude_item_ids'> {
  const { limit, attributes, explain, session_events, context, page_token, model_id, ...rest } = request;
  return rest;
}
