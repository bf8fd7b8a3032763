// From a user's id to the best items, as numbers of the catalog: those of last time while nothing has changed, else
//
//   user's events and attributes → touches → the steps of a list (src/placements)
import type { ItemBitmap } from '../catalog/item-set.ts';
import type { FoldedFilter } from '../domain/compile-filter.ts';
import { DEFAULT_TOUCH_DAYS, type Objective } from '../domain/objective.ts';
import type { Project } from '../domain/project.ts';
import type { Attributes } from '../domain/record.ts';
import { DAY_MS } from '../history/history-rules.ts';
import { type SessionEvent, withSession } from '../history/session-events.ts';
import type { UserSignal } from '../history/user-signal.ts';
import type { ItemList, ListCall } from '../placements/item-list.ts';
import { makeList } from '../placements/make-list.ts';
import type { HistoryEvent } from '../store/event-store.ts';
import type { Store } from '../store/store.ts';
import type { FilterSets } from './filter-sets.ts';
import type { ServableModel } from './model-cache.ts';
import type { Ranking, RankingCache } from './ranking-cache.ts';
import type { UserChanges } from './user-changes.ts';

const NO_ATTRIBUTES = Object.freeze({});

/** What answers. */
export interface RankingModels {
  readonly project: Project;
  /** version of the deployment they stand for */
  readonly deployment: number;
  readonly generator: ServableModel;
  readonly ranker: ServableModel | null;
}

export interface SignalRequest {
  /** null: a visitor known by session_events alone */
  readonly user_id: string | null;
  readonly session_events?: readonly SessionEvent[];
  readonly context?: Attributes;
}

export interface RankingRequest extends SignalRequest {
  readonly limit: number;
  readonly filter: FoldedFilter | null;
  readonly objective?: Objective;
  readonly touch_days?: number;
  readonly exclude_seen?: boolean;
  readonly exclude_event_types?: readonly string[];
  readonly explain?: boolean;
}

export interface UserRankingsParts {
  readonly store: Store;
  readonly cache: RankingCache;
  readonly changes: UserChanges;
  readonly filters: FilterSets;
}

export class UserRankings {
  readonly #store: Store;
  readonly #cache: RankingCache;
  readonly #changes: UserChanges;
  readonly #filters: FilterSets;

  constructor({ store, cache, changes, filters }: UserRankingsParts) {
    this.#store = store;
    this.#cache = cache;
    this.#changes = changes;
    this.#filters = filters;
  }

  async best(models: RankingModels, request: RankingRequest): Promise<Ranking> {
    // What a call brings along belongs to it alone.
    if (request.session_events || request.context) return rankingOf(await this.make(models, request));
    const { project, generator, ranker } = models;
    const [changes] = await Promise.all([this.#changes.follow(project.event_dataset_id), generator.follower.follow()]);
    const key = keyOf(models, request);
    const nowMs = Date.now();
    const kept = this.#cache.find(key, request.limit, nowMs);
    if (kept && changes.isUnchanged(kept.user, kept.version)) {
      return { ...kept, items: kept.items.subarray(0, request.limit) };
    }
    // Before the events are read: they may know more than this version, never less.
    const { version } = changes;
    const { list, user } = await this.#make(models, request);
    const ranking = rankingOf(list);
    // What rests on the user's attributes could change without a change of the events.
    const isSettled = generator.recommender.settled && (ranker?.recommender.settled ?? true);
    if (!list.restsOnAttributes && isSettled && user !== undefined) {
      this.#cache.keep(key, { ...ranking, limit: request.limit, user, version, madeMs: nowMs });
    }
    return ranking;
  }

  /** Made now, with scores, and with reasons where they are asked for. */
  async make(models: RankingModels, request: RankingRequest): Promise<ItemList> {
    return (await this.#make(models, request, models.generator.follower.follow())).list;
  }

  /** Who asks, as the store and the call know; the catalog has followed its dataset when this resolves. */
  async signal(models: RankingModels, request: SignalRequest): Promise<UserSignal> {
    const [stored, attributes] = await Promise.all([
      this.#historyOf(models, request.user_id),
      this.#attributesOf(models, request.user_id),
      models.generator.follower.follow(),
    ]);
    return signalOf(models, request, stored, attributes);
  }

  /** The items that meet a filter; null: every listed one. Use it before waiting for anything else. */
  async allowed({ project, generator }: RankingModels, filter: FoldedFilter | null): Promise<ItemBitmap | null> {
    return filter && this.#filters.select(project.account_id, generator.catalog, filter);
  }

  /** `user`: the number of the user, if there are stored events. */
  async #make(
    models: RankingModels,
    request: RankingRequest,
    following?: Promise<unknown>,
  ): Promise<{ list: ItemList; user: number | undefined }> {
    const [stored, attributes] = await Promise.all([
      this.#historyOf(models, request.user_id),
      this.#attributesOf(models, request.user_id),
      following,
    ]);
    const allow = await this.allowed(models, request.filter);
    return { list: makeList(callOf(models, request, { stored, attributes, allow })), user: stored[0]?.user_no };
  }

  async #historyOf({ project, generator, ranker }: RankingModels, userId: string | null): Promise<HistoryEvent[]> {
    if (userId === null) return [];
    const events = Math.max(generator.recommender.historyLimit, ranker?.recommender.historyLimit ?? 0);
    return this.#store.events.history(project.event_dataset_id, userId, events);
  }

  async #attributesOf({ project, generator }: RankingModels, userId: string | null): Promise<Attributes> {
    if (userId === null || !generator.recommender.readsAttributes) return NO_ATTRIBUTES;
    const record = await this.#store.users.get(project.user_dataset_id, userId);
    return record?.attributes ?? NO_ATTRIBUTES;
  }
}

export function rankingOf({ objective, items }: ItemList): Ranking {
  const filledFrom = items.findIndex(({ filled }) => filled);
  return {
    objective,
    items: Uint32Array.from(items, ({ item }) => item),
    meeting: filledFrom < 0 ? items.length : filledFrom,
  };
}

function signalOf(
  { generator }: Pick<RankingModels, 'generator'>,
  { session_events = [], context }: SignalRequest,
  stored: readonly HistoryEvent[],
  attributes: Attributes,
): UserSignal & { nowMs: number } {
  const nowMs = Date.now();
  const history = withSession(stored, session_events, { rules: generator.recommender.objectives, nowMs });
  return { history, attributes, nowMs, ...(context && { context }) };
}

function callOf(
  { generator, ranker }: RankingModels,
  request: RankingRequest,
  { stored, attributes, allow }: { stored: readonly HistoryEvent[]; attributes: Attributes; allow: ItemBitmap | null },
): ListCall {
  const { objective = 'auto' } = request;
  const rules = generator.recommender.objectives;
  const user = signalOf({ generator }, request, stored, attributes);
  const { history, nowMs } = user;
  return {
    generator: generator.recommender,
    ranker: ranker?.recommender ?? null,
    user,
    nowMs,
    touches: generator.touches.read(history, { nowMs, excludedTypes: request.exclude_event_types }),
    objective: objective === 'auto' ? rules.auto : objective,
    limit: request.limit,
    allow,
    touchMs: (request.touch_days ?? DEFAULT_TOUCH_DAYS) * DAY_MS,
    excludeSeen: request.exclude_seen ?? null,
    explain: request.explain ?? false,
  };
}

/**
 * Names everything a ranking follows from but the user's events. Load numbers and the catalog's version never come again in a
 * process; ids have no control characters, so no two requests share a key.
 */
function keyOf({ project, deployment, generator, ranker }: RankingModels, request: RankingRequest): string {
  const { user_id, limit, explain, filter, ...rest } = request;
  // With a ranker a shorter list is not the beginning of a longer one: it orders other candidates.
  const ranked = ranker ? `${ranker.loadNo}/${limit}` : '';
  const source = `${deployment} ${generator.loadNo} ${ranked} ${generator.catalog.version}`;
  return `${source}\n${project.project_id}\n${user_id}\n${JSON.stringify(rest)}\n${filter?.key ?? ''}`;
}
