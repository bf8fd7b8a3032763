// The recommendation call: from a user's id to items. Everything is read as it is now: the deployment from this node's table,
// the user's events and the items' attributes from the store.
//
//   deployment → rate → models (loaded if need be) → catalog follows its dataset → the user's ranking → attributes
import { performance } from 'node:perf_hooks';
import type { FilterParam } from '../domain/fold-filter.ts';
import { modelNotFound, projectNotFound } from '../domain/not-found.ts';
import type { Project } from '../domain/project.ts';
import type { Attributes } from '../domain/record.ts';
import { inTurns } from '../domain/steps.ts';
import { AppError } from '../errors.ts';
import type { Store } from '../store/store.ts';
import { type AnswerHead, answerText, type CallWarning, explainedText, markFilled } from './answer-text.ts';
import { CallFilters } from './call-filters.ts';
import { emptyWarning, filterWarnings } from './filter-warnings.ts';
import type { LiveDeployment, LiveDeployments } from './live-deployments.ts';
import { type ModelCache, ModelUnavailable, type ServableModel } from './model-cache.ts';
import { type RankingModels, type RankingRequest, rankingOf, type UserRankings } from './user-rankings.ts';

/** Of an attribute's name in a warning. */
const SHOWN_NAME_LENGTH = 64;

export interface RecommendRequest extends Partial<Omit<RankingRequest, 'filter'>> {
  project_id?: string;
  attributes?: string[];
  filter_query?: string | null;
  filter_params?: Record<string, FilterParam>;
  model_id?: string;
}

export interface RecommendParts {
  store: Store;
  deployments: LiveDeployments;
  cache: ModelCache;
  rankings: UserRankings;
}

export class RecommendCall {
  readonly #parts: RecommendParts;
  readonly #filters: CallFilters;

  constructor(parts: RecommendParts) {
    this.#parts = parts;
    this.#filters = new CallFilters(parts.store);
  }

  /**
   * Before the call's body is read: takes a token, so that neither a flood nor invalid calls cost more than their headers. Only
   * the body may say which project is meant: the token is then another project's, and goes back when that is known.
   */
  admit(accountId: string, projectId: string | undefined): LiveDeployment | null {
    const { deployments } = this.#parts;
    const live = projectId === undefined ? undefined : deployments.get(accountId, projectId);
    const candidates = projectId === undefined ? deployments.ofAccount(accountId) : live ? [live] : [];
    const nowMs = performance.now();
    const charged = candidates.find(({ bucket }) => bucket.take(nowMs) === 0);
    if (charged === undefined && candidates.length > 0) takeToken(candidates[0]);
    return charged ?? null;
  }

  /** The answer as JSON. `charged` is what `admit` returned. */
  async answer(accountId: string, request: RecommendRequest, charged: LiveDeployment | null): Promise<string | Buffer> {
    const { project_id, model_id, attributes = [], filter_query = null, filter_params, ...question } = request;
    const { limit = 10, user_id = null, context } = question;
    if (user_id === null && !question.session_events?.length) throw unknownUser();
    const live = await this.#deployment(accountId, project_id);
    if (charged?.bucket !== live.bucket) {
      charged?.bucket.giveBack();
      takeToken(live);
    }
    const compiled = filter_query ? this.#filters.compile(filter_query) : null;
    const { project, deployment } = live;
    const generatorId = deployment.generator_model_id;
    const { rankings } = this.#parts;
    const generator = await (model_id ? this.#namedModel(project, model_id) : this.#model(project, generatorId));
    const rankerId = model_id ? null : deployment.ranker_model_id;
    const ranker = rankerId === null ? null : await this.#model(project, rankerId);
    const models: RankingModels = { project, deployment: deployment.version, generator, ranker };
    const filter = compiled && (await this.#filters.fold(compiled, { project, user_id, filter_params, context }));
    const asked: RankingRequest = { ...question, user_id, limit, filter };
    const { texts } = generator.follower;
    const answer = ({ objective }: Pick<AnswerHead, 'objective'>, results: readonly string[]) => {
      const warnings = context ? contextWarnings(generator, context, compiled?.needs.context) : [];
      if (filter) warnings.push(...filterWarnings(filter.filter, generator.catalog));
      if (filter && results.length === 0) warnings.push(emptyWarning(filter.filter));
      const head = { user_id, limit, attributes, filter_query, objective, model_id: generator.modelId };
      return answerText(warnings.length === 0 ? head : { ...head, warnings }, results);
    };
    if (request.explain) {
      const list = await rankings.make(models, asked);
      const items = list.items.map(({ item }) => item);
      const shown = await inTurns(texts.of(items, attributes));
      return answer(
        list,
        shown.map((text, n) => explainedText(text, list.items[n])),
      );
    }
    const ranking = model_id ? rankingOf(await rankings.make(models, asked)) : await rankings.best(models, asked);
    const shown = await inTurns(texts.of(ranking.items, attributes));
    return answer(ranking, markFilled(shown, ranking.meeting));
  }

  /** The deployment the call is for: of the project, or of the account's default project. */
  async #deployment(accountId: string, projectId: string | undefined): Promise<LiveDeployment> {
    const { deployments, store } = this.#parts;
    if (!deployments.isFresh) await deployments.refresh();
    if (projectId !== undefined) {
      const live = deployments.get(accountId, projectId);
      if (live) return live;
      if ((await store.projects.get(accountId, projectId)) === null) {
        throw projectNotFound(projectId);
      }
      throw new AppError(
        'NO_MODEL_DEPLOYED',
        `Project ${projectId} has no model deployed. Submit a deployment job first.`,
      );
    }
    const defaultId = deployments.defaultProjectOf(accountId);
    const live = defaultId && deployments.get(accountId, defaultId);
    if (live) return live;
    throw new AppError(
      'NO_MODEL_DEPLOYED',
      defaultId
        ? `The account's default project ${defaultId} has no model deployed. Deploy one, or send the project_id of another.`
        : 'No project has a model deployed. Submit a deployment job first.',
    );
  }

  /** A model the caller names, deployed or not: it is looked up every time, so that a deleted one is gone at once. */
  async #namedModel(project: Project, modelId: string): Promise<ServableModel> {
    const { account_id, project_id } = project;
    const row = await this.#parts.store.models.get(account_id, project_id, modelId);
    if (row === null) throw modelNotFound(project_id, modelId);
    return this.#model(project, modelId);
  }

  async #model(project: Project, modelId: string): Promise<ServableModel> {
    const { cache } = this.#parts;
    const name = { accountId: project.account_id, projectId: project.project_id, modelId };
    try {
      return cache.get(name) ?? (await cache.load(name));
    } catch (error) {
      if (error instanceof ModelUnavailable) throw new AppError('MODEL_NOT_FOUND', error.message, { cause: error });
      throw error;
    }
  }
}

function takeToken({ bucket, deployment }: LiveDeployment): void {
  const waitMs = bucket.take(performance.now());
  if (waitMs === 0) return;
  throw new AppError('RATE_LIMITED', `The project is deployed for ${deployment.qps} call(s) a second.`, {
    retryAfterSec: Math.max(1, Math.ceil(waitMs / 1000)),
  });
}

function contextWarnings(
  { recommender }: ServableModel,
  context: Attributes,
  inFilter: ReadonlySet<string> = new Set(),
): CallWarning[] {
  const unknown = recommender.unknownContext(context).filter((name) => !inFilter.has(name));
  return unknown.map((name) => ({
    code: 'UNKNOWN_CONTEXT',
    message: `context.${name.slice(0, SHOWN_NAME_LENGTH)} was ignored: the events this model was trained on have no such attribute.`,
  }));
}

function unknownUser(): AppError {
  const message = 'is missing: give it, or session_events of a visitor without an id';
  return new AppError('INVALID_REQUEST', `user_id ${message}.`, { errors: [{ pointer: '/user_id', message }] });
}
