// The recommendation call: from a user's id to items. Everything is read as it is now: the deployment from this node's table,
// the user's events and the items' attributes from the store.
//
//   deployment → rate → models (loaded if need be) → catalogue follows its dataset → the same answer again, if nothing has
//   changed → user's events → generator's best, filter inside the search → ranker → attributes
import { performance } from 'node:perf_hooks';
import type { Filter } from '../domain/filter.ts';
import { parseFilter } from '../domain/parse-filter.ts';
import type { Project } from '../domain/project.ts';
import { AppError } from '../errors.ts';
import type { Basis, ScoredItem, TopRequest, TopResult, UserSignal } from '../models/recommender.ts';
import type { Store } from '../store/store.ts';
import type { KeptAnswers } from './kept-answers.ts';
import type { LiveDeployment, LiveDeployments } from './live-deployments.ts';
import { type ModelCache, ModelUnavailable, type ServableModel } from './model-cache.ts';

/** How many of the generator's best the ranker orders. */
const RANKED_CANDIDATES = 300;
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

export interface RecommendParts {
  store: Store;
  deployments: LiveDeployments;
  cache: ModelCache;
  answers: KeptAnswers;
}

export class RecommendCall {
  readonly #parts: RecommendParts;
  readonly #filters = new Map<string, Filter>();

  constructor(parts: RecommendParts) {
    this.#parts = parts;
  }

  /** The answer as JSON. */
  async answer(accountId: string, request: RecommendRequest): Promise<string> {
    const live = await this.#deployment(accountId, request.project_id);
    const filter = request.filter_query ? this.#filter(request.filter_query) : null;
    takeToken(live);
    const { project, deployment } = live;
    const generator = await this.#model(project, request.model_id ?? deployment.generator_model_id);
    const rankerId = request.model_id ? null : deployment.ranker_model_id;
    const ranker = rankerId === null ? null : await this.#model(project, rankerId);
    const { answers, store } = this.#parts;
    // PostgreSQL is asked once, for everything together: a look at versions first would cost as much as the events.
    if (request.model_id || request.explain || store.database.dialect !== 'sqlite') {
      const following = generator.follower.follow();
      return (await this.#compute(project, generator, ranker, filter, request, following)).answer;
    }

    store.database.holdSnapshot?.();
    // The version of the events is read before the events: an answer may know more than its version says, never less.
    const eventsVersion = await store.events.version(project.event_dataset_id);
    await generator.follower.follow();
    const catalogueVersion = generator.catalogue.version;
    const source = { deployment: live, model: generator, eventsVersion, catalogueVersion };
    const key = keyOf(deployment.project_id, request);
    const kept = answers.find(key, source);
    if (kept !== null) return kept;
    const { answer, basis } = await this.#compute(project, generator, ranker, filter, request);
    // What rests on the user's attributes could change without a change of the events.
    if (basis === 'history' && generator.recommender.settled && (ranker?.recommender.settled ?? true)) {
      answers.keep(key, source, answer);
    }
    return answer;
  }

  async #compute(
    project: Project,
    generator: ServableModel,
    ranker: ServableModel | null,
    filter: Filter | null,
    request: RecommendRequest,
    following?: Promise<unknown>,
  ): Promise<{ answer: string; basis: Basis }> {
    const { attributes = [], limit = 10, explain = false } = request;
    const events = Math.max(generator.recommender.historyLimit, ranker?.recommender.historyLimit ?? 0);
    const reading = this.#parts.store.events.history(project.event_dataset_id, request.user_id, events);
    const [history] = following ? await Promise.all([reading, following]) : [await reading];
    const asked: TopRequest = {
      limit: ranker ? Math.max(limit, RANKED_CANDIDATES) : limit,
      allow: filter ? generator.catalogue.select(filter) : null,
      excludeSeen: request.exclude_seen ?? 'auto',
      explain,
    };
    const { user, top } = await this.#best(project, generator, history, asked, request.user_id);
    const items = ranker ? rerank(ranker, user, top.items, limit) : top.items;
    const texts = generator.follower.texts.of(items, attributes);
    const results = texts.map((item, n) => `{"item":${item}${explain ? `,${explanation(items[n])}` : ''}}`);
    return { answer: answerText(request, results), basis: top.basis };
  }

  async #best(
    project: Project,
    generator: ServableModel,
    history: UserSignal['history'],
    asked: TopRequest,
    userId: string,
  ): Promise<{ user: UserSignal; top: TopResult }> {
    const byEvents: UserSignal = { history, attributes: NO_ATTRIBUTES };
    const top = history.length === 0 ? null : generator.recommender.top(byEvents, asked);
    if (top?.basis === 'history') return { user: byEvents, top };
    // Nothing to go on in the events: what the user is like may say something.
    const record = await this.#parts.store.users.get(project.user_dataset_id, userId);
    const user: UserSignal = { history, attributes: record?.attributes ?? NO_ATTRIBUTES };
    return { user, top: generator.recommender.top(user, asked) };
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

/** Ids have no control characters, so no two requests share a key. */
function keyOf(
  projectId: string,
  { user_id, limit, attributes, filter_query, exclude_seen }: RecommendRequest,
): string {
  return `${projectId}\n${user_id}\n${JSON.stringify([limit, attributes, filter_query, exclude_seen])}`;
}

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

function answerText(request: RecommendRequest, results: readonly string[]): string {
  const { user_id, limit = 10, attributes = [], filter_query = null } = request;
  const head = `{"user_id":${JSON.stringify(user_id)},"limit":${limit},"attributes":${JSON.stringify(attributes)}`;
  return `${head},"filter_query":${JSON.stringify(filter_query)},"results":[${results.join(',')}]}`;
}

function explanation({ score, reasons = [] }: ScoredItem): string {
  return `"score":${JSON.stringify(score)},"reasons":${JSON.stringify(reasons.slice(0, SHOWN_REASONS))}`;
}
