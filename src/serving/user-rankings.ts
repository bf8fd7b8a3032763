// From a user's id to the best items, as numbers of the catalog: those of last time while nothing has changed, else anew:
//
//   user's events → generator's best, filter inside the search → ranker
import type { Filter } from '../domain/filter.ts';
import type { Project } from '../domain/project.ts';
import type { UserSignal } from '../history/user-signal.ts';
import type { ScoredItem, TopRequest, TopResult } from '../scoring/recommender.ts';
import type { Store } from '../store/store.ts';
import { KEPT_ITEMS, type KeptRankings, type RankingSource } from './kept-rankings.ts';
import type { ServableModel } from './model-cache.ts';

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

export class UserRankings {
  readonly #store: Store;
  readonly #kept: KeptRankings;

  constructor(store: Store, kept: KeptRankings) {
    this.#store = store;
    this.#kept = kept;
  }

  /** Numbers of the best items in the generator's catalog. */
  async best(models: RankingModels, request: RankingRequest): Promise<ArrayLike<number>> {
    const kept = this.#kept;
    const { local } = this.#store.events;
    // A store across the network is asked once, for everything together: to ask for versions first would cost as much.
    if (!local || request.limit > KEPT_ITEMS) return numbersOf((await this.make(models, request)).items);
    const { project, generator, ranker } = models;
    this.#store.database.holdSnapshot?.();
    const userVersion = local.userVersion(project.event_dataset_id, request.user_id);
    await generator.follower.follow();
    const epoch = kept.epochOf(project.project_id, sourceOf(models));
    const key = keyOf(project.project_id, request);
    const known = kept.find(key, epoch, userVersion, request.limit);
    if (known !== null) return known;
    const { basis, items } = await this.#make(models, request);
    const numbers = numbersOf(items);
    // What rests on the user's attributes could change without a change of the events.
    if (basis === 'history' && generator.recommender.settled && (ranker?.recommender.settled ?? true)) {
      kept.keep(key, epoch, userVersion, request.limit, numbers);
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
  ): Promise<TopResult> {
    const { user_id, limit, filter } = request;
    const events = Math.max(generator.recommender.historyLimit, ranker?.recommender.historyLimit ?? 0);
    const reading = this.#store.events.history(project.event_dataset_id, user_id, events);
    const [history] = following ? await Promise.all([reading, following]) : [await reading];
    const asked: TopRequest = {
      limit: ranker ? Math.max(limit, RANKED_CANDIDATES) : limit,
      allow: filter ? generator.catalog.select(filter) : null,
      excludeSeen: request.exclude_seen ?? 'auto',
      explain: request.explain,
    };
    const byEvents: UserSignal = { history, attributes: NO_ATTRIBUTES };
    const top = history.length === 0 ? null : generator.recommender.top(byEvents, asked);
    if (top?.basis === 'history') return ranker ? rerank(ranker, byEvents, top, limit) : top;
    // Nothing to go on in the events: what the user is like may say something.
    const record = await this.#store.users.get(project.user_dataset_id, user_id);
    const user: UserSignal = { history, attributes: record?.attributes ?? NO_ATTRIBUTES };
    const cold = generator.recommender.top(user, asked);
    return ranker ? rerank(ranker, user, cold, limit) : cold;
  }
}

export function sourceOf({ deployment, generator, ranker }: RankingModels): RankingSource {
  return {
    deployment,
    generator: generator.loadNo,
    ranker: ranker?.loadNo ?? null,
    catalogVersion: generator.catalog.version,
  };
}

/** Ids have no control characters, so no two requests share a key. */
function keyOf(projectId: string, { user_id, filter_query, exclude_seen }: RankingRequest): string {
  const user = `${projectId}\n${user_id}`;
  return filter_query || exclude_seen !== undefined ? `${user}\n${exclude_seen}\n${filter_query ?? ''}` : user;
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
