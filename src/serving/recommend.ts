// The recommendation call: from a user's id to items. Everything is read as it is now: the deployment from this node's table,
// the user's events and the items' attributes from the store. Nothing of a user is remembered between calls.
//
//   deployment → rate → models (loaded if need be) → catalogue follows its dataset, user's events → generator's best,
//   filter inside the search → ranker → attributes
import { performance } from 'node:perf_hooks';
import type { Filter } from '../domain/filter.ts';
import { parseFilter } from '../domain/parse-filter.ts';
import type { Project } from '../domain/project.ts';
import { AppError } from '../errors.ts';
import type { Catalogue } from '../models/catalogue.ts';
import type { Reason, ScoredItem, TopRequest, TopResult, UserSignal } from '../models/recommender.ts';
import type { Store } from '../store/store.ts';
import type { LiveDeployment, LiveDeployments } from './live-deployments.ts';
import { type ModelCache, ModelUnavailable, type ServableModel } from './model-cache.ts';

/** How many of the generator's best the ranker orders. */
const RANKED_CANDIDATES = 300;
/** Items seen long ago are still left out: so many events of a user are read, however few the model weighs. */
const SEEN_EVENTS = 2000;
const SHOWN_REASONS = 3;
const KEPT_FILTERS = 1000;

export interface RecommendRequest {
  project_id?: string;
  user_id: string;
  attributes?: string[];
  limit?: number;
  filter_query?: string | null;
  exclude_seen?: boolean;
  explain?: boolean;
  model_id?: string;
}

export interface RecommendedItem {
  item: Record<string, unknown>;
  score?: number;
  reasons?: Reason[];
}

export interface RecommendAnswer {
  user_id: string;
  limit: number;
  attributes: string[];
  filter_query: string | null;
  results: RecommendedItem[];
}

export interface RecommendParts {
  store: Store;
  deployments: LiveDeployments;
  cache: ModelCache;
}

export class RecommendCall {
  readonly #parts: RecommendParts;
  readonly #filters = new Map<string, Filter>();

  constructor(parts: RecommendParts) {
    this.#parts = parts;
  }

  async answer(accountId: string, request: RecommendRequest): Promise<RecommendAnswer> {
    const { attributes = [], limit = 10, filter_query = null } = request;
    const live = await this.#deployment(accountId, request.project_id);
    const filter = filter_query === null ? null : this.#filter(filter_query);
    takeToken(live);
    const generator = await this.#model(live.project, request.model_id ?? live.deployment.generator_model_id);
    const rankerId = request.model_id ? null : live.deployment.ranker_model_id;
    const ranker = rankerId === null ? null : await this.#model(live.project, rankerId);

    const items = await this.#best(live.project, generator, ranker, filter, limit, request);
    const { catalogue } = generator;
    return {
      user_id: request.user_id,
      limit,
      attributes,
      filter_query,
      results: items.map((scored) => {
        const item = describe(catalogue, scored, attributes);
        return request.explain ? { item, score: scored.score, reasons: shown(scored.reasons) } : { item };
      }),
    };
  }

  async #best(
    project: Project,
    generator: ServableModel,
    ranker: ServableModel | null,
    filter: Filter | null,
    limit: number,
    request: RecommendRequest,
  ): Promise<readonly ScoredItem[]> {
    const { store } = this.#parts;
    const events = Math.max(SEEN_EVENTS, generator.recommender.historyLimit, ranker?.recommender.historyLimit ?? 0);
    const [history] = await Promise.all([
      store.events.history(project.event_dataset_id, request.user_id, events),
      generator.follower.follow(),
    ]);
    const asked: TopRequest = {
      limit: ranker ? Math.max(limit, RANKED_CANDIDATES) : limit,
      allow: filter ? generator.catalogue.select(filter) : null,
      excludeSeen: request.exclude_seen ?? 'auto',
      explain: request.explain ?? false,
    };
    let user: UserSignal = { history, attributes: NO_ATTRIBUTES };
    let top: TopResult | null = history.length === 0 ? null : generator.recommender.top(user, asked);
    if (top === null || top.basis !== 'history') {
      // Nothing to go on in the events: what the user is like may say something.
      const record = await store.users.get(project.user_dataset_id, request.user_id);
      user = { history, attributes: record?.attributes ?? NO_ATTRIBUTES };
      if (top === null || record !== null) top = generator.recommender.top(user, asked);
    }
    return ranker ? rerank(ranker, user, top.items, limit) : top.items;
  }

  /** The deployment the call is for: by project, or the account's only one. */
  async #deployment(accountId: string, projectId: string | undefined): Promise<LiveDeployment> {
    const { deployments, store } = this.#parts;
    if (projectId !== undefined) {
      const live = deployments.get(accountId, projectId);
      if (live) return live;
      if ((await store.projects.get(accountId, projectId)) === null) {
        throw new AppError('PROJECT_NOT_FOUND', `There is no project ${projectId}.`);
      }
      throw new AppError(
        'NO_MODEL_DEPLOYED',
        `Project ${projectId} has no model deployed. Submit a deployment job first.`,
      );
    }
    const all = deployments.of(accountId);
    if (all.length === 1) return all[0];
    if (all.length === 0) {
      throw new AppError('NO_MODEL_DEPLOYED', 'No project has a model deployed. Submit a deployment job first.');
    }
    const projects = all.map(({ project }) => ({ project_id: project.project_id, name: project.name }));
    throw new AppError('PROJECT_AMBIGUOUS', 'Several projects are deployed: say which one with project_id.', {
      extra: { projects },
    });
  }

  async #model(project: Project, modelId: string): Promise<ServableModel> {
    const { cache } = this.#parts;
    const present = cache.get(modelId);
    if (present?.projectId === project.project_id) return present;
    try {
      const loaded = await cache.load(project.account_id, project.project_id, modelId);
      if (loaded.projectId === project.project_id) return loaded;
    } catch (error) {
      if (error instanceof ModelUnavailable) throw new AppError('MODEL_NOT_FOUND', error.message, { cause: error });
      throw error;
    }
    throw new AppError('MODEL_NOT_FOUND', `Project ${project.project_id} has no model ${modelId}.`);
  }

  #filter(text: string): Filter {
    let filter = this.#filters.get(text);
    if (!filter) {
      filter = parseFilter(text);
      if (this.#filters.size >= KEPT_FILTERS) this.#filters.clear();
      this.#filters.set(text, filter);
    }
    return filter;
  }
}

const NO_ATTRIBUTES = Object.freeze({});

function takeToken({ bucket, deployment }: LiveDeployment): void {
  const waitMs = bucket.take(performance.now());
  if (waitMs === 0) return;
  throw new AppError('RATE_LIMITED', `The project is deployed for ${deployment.qps} call(s) a second.`, {
    retryAfterSec: Math.max(1, Math.ceil(waitMs / 1000)),
  });
}

/** The ranker's order of the generator's items; the reasons stay the generator's. */
function rerank(ranker: ServableModel, user: UserSignal, items: readonly ScoredItem[], limit: number): ScoredItem[] {
  const scores = ranker.recommender.scoreCandidates(
    user,
    items.map(({ item }) => item),
  );
  return items
    .map((scored, n) => ({ ...scored, score: scores[n] }))
    .sort((a, b) => b.score - a.score)
    .slice(0, limit);
}

function describe(catalogue: Catalogue, { item, item_id }: ScoredItem, attributes: readonly string[]) {
  const described: Record<string, unknown> = { item_id };
  for (const name of attributes) {
    if (name === 'item_id') continue;
    const value = catalogue.attribute(item, name) ?? null;
    // assignment would run the setter of the one name that has one
    if (name === '__proto__') Object.defineProperty(described, name, { value, enumerable: true });
    else described[name] = value;
  }
  return described;
}

function shown(reasons: readonly Reason[] = []): Reason[] {
  return reasons.slice(0, SHOWN_REASONS);
}
