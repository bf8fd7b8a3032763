// The call for a top list: project → its catalog follows the dataset → the counted list → the steps of every list → attributes. It
// needs no model.

import { type Runtime, systemRuntime } from '../base/runtime.ts';
import type { Objective } from '../domain/objective.ts';
import type { Project } from '../domain/project.ts';
import type { TopListKind } from '../domain/top-list.ts';
import { HISTORY_EVENTS } from '../history/user-signal.ts';
import type { ServedLists } from '../outcomes/served-lists.ts';
import { DEFAULT_LIMIT, type ListRequest } from '../placements/list-request.ts';
import type { PageTokens } from '../placements/page-token.ts';
import { checkPins } from '../placements/pins.ts';
import { topKind } from '../placements/placement-list.ts';
import type { Store } from '../store/store.ts';
import type { CallFilters } from './call-filters.ts';
import type { CallRoom, CallRooms } from './call-room.ts';
import { listWarnings } from './call-warnings.ts';
import { type ChosenVariant, originOf } from './choose-variant.ts';
import { DEFAULT_WINDOW_HOURS } from './counted-lists.ts';
import type { FilterSets } from './filter-sets.ts';
import { questionSets } from './filtered-list.ts';
import { listOfTop } from './list-of-top.ts';
import type { ModelCache } from './model-cache.ts';
import { pagedList } from './paged-list.ts';
import { compileList, foldList, NO_FILTERS, NOT_FILTERED } from './questions.ts';
import type { RecentTypes, TypeCounts } from './recent-types.ts';
import { type CallWarning, explainedText, responseText } from './response-text.ts';
import type { TopLists } from './top-lists.ts';

export interface TopItemsRequest extends ListRequest {
  readonly by: TopListKind;
  readonly window_hours?: number;
  readonly event_type?: string;
  readonly objective?: Objective;
}

export interface TopCallParts {
  store: Pick<Store, 'events'>;
  rooms: CallRooms;
  topLists: TopLists;
  types: Pick<RecentTypes, 'of'>;
  cache: Pick<ModelCache, 'catalogOf'>;
  filters: CallFilters;
  sets: FilterSets;
  served: ServedLists;
  pageTokens: PageTokens;
  runtime?: Runtime;
}

/** Where the list is shown: placement, experiment and preview. */
export interface OfList {
  readonly placement: string | null;
  /** the body of the placement's call */
  readonly call?: ListRequest;
  readonly experiment: ChosenVariant | null;
  readonly isPreview?: boolean;
  /** further filters that must all be met */
  readonly filters?: readonly string[];
  /** lists that fill the remaining places, in this order */
  readonly fallback?: readonly TopListKind[];
}

const NO_PLACEMENT: OfList = { placement: null, experiment: null };
const NO_TYPES: TypeCounts = {};
const NO_LIKENESS: CallWarning = {
  code: 'DIVERSITY_IGNORED',
  message: 'diversity as a number was ignored: a top list knows no tastes to compare. Use max_per.',
};

export class TopCall {
  readonly #parts: TopCallParts;

  constructor(parts: TopCallParts) {
    this.#parts = parts;
  }

  /** Returns the response as JSON. */
  respond(project: Project, request: TopItemsRequest): Promise<string | Buffer> {
    return this.#parts.rooms.within(project.account_id, async (room) => {
      const { head, items, texts } = await this.list(project, request, NO_PLACEMENT, room);
      const results = texts.map((text, n) => explainedText(text, items[n], 'score'));
      return responseText(head, results, room);
    });
  }

  /** Makes the parts of a response within another call: its head, its items and the text of each item. */
  async list(
    project: Project,
    { by, ...asked }: TopItemsRequest,
    { placement, call, experiment, isPreview, filters: further, fallback = [] }: OfList,
    room: CallRoom,
  ) {
    const { window_hours = DEFAULT_WINDOW_HOURS[by], event_type = null, ...request } = asked;
    const { user_id = null, limit = DEFAULT_LIMIT, attributes = [], filter_query = null, page_token } = request;
    const { store, topLists, types, cache, filters, sets, served, pageTokens } = this.#parts;
    const { account_id: accountId, project_id: projectId, event_dataset_id: datasetId } = project;
    if (request.pins) checkPins(request.pins);
    const compiled = compileList(filters, { kinds: [], request, filters: further });
    const folded = compiled === NO_FILTERS ? NOT_FILTERED : await foldList(filters, project, request, compiled);
    const { objective, window_hours: windowHours = null } = asked;
    const kinds = [by, ...fallback].map((one) => topKind(one, { objective, windowHours, eventType: event_type }));
    const paged = pagedList(project, { kinds, request, filters: further, placement, call });
    const shown = page_token ? pageTokens.read(paged, page_token) : [];
    const follower = await cache.catalogOf(accountId, project.item_dataset_id);
    await follower.follow();
    const { catalog, texts } = follower;
    const top = await topLists.of(project, kinds, follower);
    const stored = user_id === null ? [] : await store.events.history(datasetId, user_id, HISTORY_EVENTS);
    const isUntyped = request.session_events?.some(({ event_type }) => event_type === undefined || event_type === null);
    const typeCounts = isUntyped ? await types.of(datasetId) : NO_TYPES;
    const filtered = await questionSets(sets, { project, generator: { catalog } }, folded);
    const { list, ...found } = listOfTop(request, {
      catalog,
      counted: [...top.values()],
      targetEventType: project.target_event_type,
      typeCounts,
      stored,
      shown,
      ...filtered,
      nowMs: (this.#parts.runtime ?? systemRuntime).nowMs(),
    });
    const { items } = list;
    const itemTexts = await texts.of(
      items.map(({ item }) => item),
      attributes,
      room,
    );
    const warnings = listWarnings(folded, { catalog, ...found });
    if (typeof request.diversity === 'number') warnings.push(NO_LIKENESS);
    const itemIds = items.map(({ item_id }) => item_id);
    const head = {
      by,
      window_hours,
      event_type,
      user_id,
      limit,
      attributes,
      filter_query,
      ...(request.objective && request.objective !== 'auto' && { objective: request.objective }),
      model_id: null,
      recommendation_id: served.make(
        { accountId, projectId, modelId: null, placement, ...originOf(experiment) },
        { items: itemIds.length, userId: user_id, isPreview },
        room,
      ),
      next_page_token: itemIds.length < limit ? null : pageTokens.make(paged, [...shown, ...itemIds]),
      ...(warnings.length > 0 && { warnings }),
    };
    return { head, items, texts: itemTexts };
  }
}
