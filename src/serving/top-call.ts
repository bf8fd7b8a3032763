// The call for a top list: project → its catalog follows the dataset → the counted list → filter → attributes. It needs no model.
import { isIn } from '../catalog/item-set.ts';
import { BoundedCache } from '../domain/bounded-cache.ts';
import type { FilterParam } from '../domain/fold-filter.ts';
import type { Project } from '../domain/project.ts';
import type { ServedLists } from '../outcomes/served-lists.ts';
import type { TopListKind, TopLists } from '../placements/top-list.ts';
import type { Store } from '../store/store.ts';
import type { AnswerRoom, AnswerRooms } from './answer-room.ts';
import { answerText } from './answer-text.ts';
import type { CallFilters } from './call-filters.ts';
import type { CatalogFollower } from './catalog-follower.ts';
import { type ChosenVariant, originOf } from './choose-variant.ts';
import { type CountedList, type CountedLists, DEFAULT_WINDOW_HOURS } from './counted-lists.ts';
import type { FilterSets } from './filter-sets.ts';
import { emptyWarning, filterWarnings } from './filter-warnings.ts';
import type { ModelCache } from './model-cache.ts';

export interface TopItemsRequest {
  by: TopListKind;
  window_hours?: number;
  event_type?: string;
  limit?: number;
  attributes?: string[];
  exclude_item_ids?: string[];
  filter_query?: string | null;
  filter_params?: Record<string, FilterParam>;
}

export interface TopCallParts {
  rooms: AnswerRooms;
  lists: CountedLists;
  cache: Pick<ModelCache, 'catalogOf'>;
  filters: CallFilters;
  sets: FilterSets;
  served: ServedLists;
}

/** Whom the list is for. */
export interface OfList {
  readonly placement: string | null;
  readonly experiment: ChosenVariant | null;
  readonly userId: string | null;
  readonly isPreview?: boolean;
}

const NO_PLACEMENT: OfList = { placement: null, experiment: null, userId: null };

/** Catalog numbers of lists, for which an id is looked up once. */
const NUMBERS_BYTES = 16 * 1024 * 1024;

export class TopCall {
  readonly #parts: TopCallParts;
  readonly #numbers = new BoundedCache<CountedList, { follower: CatalogFollower; items: Uint32Array }>({
    name: 'top_list_numbers',
    maxBytes: NUMBERS_BYTES,
    bytesOf: ({ items }) => items.byteLength,
  });

  constructor(parts: TopCallParts) {
    this.#parts = parts;
  }

  /** The answer as JSON. */
  answer(project: Project, request: TopItemsRequest, ofList: OfList = NO_PLACEMENT) {
    return this.#parts.rooms.within(project.account_id, (room) => this.#answer(project, request, ofList, room));
  }

  async #answer(
    project: Project,
    request: TopItemsRequest,
    { placement, experiment, userId, isPreview }: OfList,
    room: AnswerRoom,
  ): Promise<string | Buffer> {
    const { by, limit = 10, attributes = [], filter_query = null, filter_params } = request;
    const { lists, cache, filters, sets, served } = this.#parts;
    const { account_id: accountId, project_id: projectId } = project;
    const compiled = filter_query ? [filters.compile(filter_query)] : [];
    const [filter = null] = await filters.foldAll(compiled, { project, user_id: null, filter_params });
    const window_hours = request.window_hours ?? DEFAULT_WINDOW_HOURS[by];
    const event_type = request.event_type ?? null;
    const follower = await cache.catalogOf(accountId, project.item_dataset_id);
    await follower.follow();
    const { catalog, texts } = follower;
    const list = await lists.list(project, { by, windowHours: window_hours, eventType: event_type });
    const items = this.#itemsOf(list, follower);
    const allow = filter && (await sets.select(accountId, catalog, filter));
    // Items that only events know are shown while there are no others.
    const listed = catalog.stored().count > 0 ? catalog.stored() : catalog.undeleted();
    const excluded = new Set(request.exclude_item_ids?.map((id) => catalog.indexOf(id)));
    const chosen: number[] = [];
    for (let place = 0; place < items.length && chosen.length < limit; place++) {
      const item = items[place];
      if (isIn(listed, item) && (allow === null || isIn(allow, item)) && !excluded.has(item)) chosen.push(place);
    }
    const shown = await texts.of(
      chosen.map((place) => items[place]),
      attributes,
      room,
    );
    const warnings = filter ? [...filterWarnings(filter.filter, catalog)] : [];
    if (filter && shown.length === 0) warnings.push(emptyWarning(filter.filter));
    const head = {
      ...{ by, window_hours, event_type, limit, attributes, filter_query },
      recommendation_id: await served.make(
        { accountId, projectId, modelId: null, placement, ...originOf(experiment) },
        { items: shown.length, userId, isPreview },
      ),
      ...(warnings.length > 0 && { warnings }),
    };
    return answerText(
      head,
      shown.map((text, n) => `${text},"score":${list.scores[chosen[n]]}`),
      room,
    );
  }

  #itemsOf(list: CountedList, follower: CatalogFollower): Uint32Array {
    const known = this.#numbers.get(list);
    if (known?.follower === follower) return known.items;
    const items = Uint32Array.from(list.itemIds, (id) => follower.catalog.intern(id));
    this.#numbers.set(list, { follower, items });
    return items;
  }
}

/** As placements need them. */
export function topListsOf(lists: CountedLists, store: Pick<Store, 'projects' | 'items'>): TopLists {
  return {
    async list({ accountId, projectId, by, windowHours, eventType, filter, limit }) {
      const project = await store.projects.get(accountId, projectId);
      if (project === null) return [];
      const hours = windowHours ?? DEFAULT_WINDOW_HOURS[by];
      const { itemIds, scores } = await lists.list(project, { by, windowHours: hours, eventType });
      const found: { item_id: string; score: number }[] = [];
      for (let place = 0; place < itemIds.length && found.length < limit; place++) {
        const item_id = itemIds[place];
        const isAllowed = filter ? filter(item_id) : (await store.items.get(project.item_dataset_id, item_id)) !== null;
        if (isAllowed) found.push({ item_id, score: Math.max(scores[place], Number.MIN_VALUE) });
      }
      return found;
    },
  };
}
