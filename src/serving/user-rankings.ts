// From a user's id to the best items, as numbers of the catalog: those of last time while nothing has changed, else
//
//   user's events → generator's best, filter inside the search → ranker
import type { Filter } from '../domain/filter.ts';
import type { Project } from '../domain/project.ts';
import type { UserSignal } from '../history/user-signal.ts';
import type { ScoredItem, TopRequest, TopResult } from '../scoring/recommender.ts';
import type { Store } from '../store/store.ts';
import type { FilterSets } from './filter-sets.ts';
import type { ServableModel } from './model-cache.ts';
import type { RankingCache } from './ranking-cache.ts';
import type { UserChanges } from './user-changes.ts';

/** How many of the generator's best the ranker orders. */
const RANKED_CANDIDATES = 300;
const NO_ATTRIBUTES = Object.freeze({});

/** What answers. */
export interface RankingModels {
  readonly project: Project;
  /** version of the deployment they stand for */
  readonly deployment: number;
  readonly generator: ServableModel;
  readonly ranker: ServableModel | null;
}

export interface RankingRequest {
  readonly user_id: string;
  readonly limit: number;
  readonly filter_query?: string | null;
  readonly filter: Filter | null;
  readonly exclude_seen?: boolean;
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

  /** Numbers of the best items in the generator's catalog. */
  async best(models: RankingModels, request: RankingRequest): Promise<ArrayLike<number>> {
    const { project, generator, ranker } = models;
    const [changes] = await Promise.all([this.#changes.follow(project.event_dataset_id), generator.follower.follow()]);
    const key = keyOf(models, request);
    const nowMs = Date.now();
    const kept = this.#cache.find(key, request.limit, nowMs);
    if (kept && changes.isUnchanged(kept.user, kept.version)) return kept.items.subarray(0, request.limit);
    // Before the events are read: they may know more than this version, never less.
    const { version } = changes;
    const { basis, items, user } = await this.#make(models, request);
    const numbers = Uint32Array.from(items, ({ item }) => item);
    // What rests on the user's attributes could change without a change of the events.
    const isSettled = generator.recommender.settled && (ranker?.recommender.settled ?? true);
    if (basis === 'history' && isSettled && user !== undefined) {
      this.#cache.keep(key, { items: numbers, limit: request.limit, user, version, madeMs: nowMs });
    }
    return numbers;
  }

  /** Made now, with scores, and with reasons where they are asked for. */
  async make(models: RankingModels, request: RankingRequest): Promise<TopResult> {
    return this.#make(models, request, models.generator.follower.follow());
  }

  async #make(
    { project, generator, ranker }: RankingModels,
    request: RankingRequest,
    following?: Promise<unknown>,
  ): Promise<TopResult & { user?: number }> {
    const { user_id, limit, filter } = request;
    const { account_id } = project;
    const events = Math.max(generator.recommender.historyLimit, ranker?.recommender.historyLimit ?? 0);
    const reading = this.#store.events.history(project.event_dataset_id, user_id, events);
    const [history] = following ? await Promise.all([reading, following]) : [await reading];
    const asked: TopRequest = {
      limit: ranker ? Math.max(limit, RANKED_CANDIDATES) : limit,
      allow: filter ? await this.#filters.select(account_id, generator.catalog, filter) : null,
      excludeSeen: request.exclude_seen ?? 'auto',
      explain: request.explain,
    };
    const byEvents: UserSignal = { history, attributes: NO_ATTRIBUTES };
    const top = history.length === 0 ? null : generator.recommender.top(byEvents, asked);
    if (top?.basis === 'history') {
      return { ...(ranker ? rerank(ranker, byEvents, top, limit) : top), user: history[0].user_no };
    }
    // Nothing to go on in the events: what the user is like may say something.
    const record = await this.#store.users.get(project.user_dataset_id, user_id);
    const user: UserSignal = { history, attributes: record?.attributes ?? NO_ATTRIBUTES };
    const cold = generator.recommender.top(user, asked);
    return ranker ? rerank(ranker, user, cold, limit) : cold;
  }
}

/**
 * Names everything a ranking follows from but the user's events. Load numbers and the catalog's version never come again in a
 * process; ids have no control characters, so no two requests share a key.
 */
function keyOf({ project, deployment, generator, ranker }: RankingModels, request: RankingRequest): string {
  const { user_id, limit, explain, filter, ...rest } = request;
  const source = `${deployment} ${generator.loadNo} ${ranker?.loadNo ?? ''} ${generator.catalog.version}`;
  return `${source}\n${project.project_id}\n${user_id}\n${JSON.stringify(rest)}`;
}

function numbersOf(items: readonly ScoredItem[]): number[] {
  return items.map(({ item }) => item);
}

/** The ranker's order of the generator's items; the reasons stay the generator's. */
function rerank(ranker: ServableModel, user: UserSignal, { basis, items }: TopResult, limit: number): TopResult {
  const scores = ranker.recommender.scoreCandidates(user, numbersOf(items));
  const ranked = items
    .map((scored, n) => ({ ...scored, score: scores[n] }))
    .sort((a, b) => b.score - a.score)
    .slice(0, limit);
  return { basis, items: ranked };
}
