// The list of each user, as /recommend-items-to-user would return it now: the same models, the same steps (src/placements).
import { type CompiledFilter, compileFilter } from '../../domain/compile-filter.ts';
import { JobFailure } from '../../domain/job.ts';
import { DEFAULT_TOUCH_DAYS } from '../../domain/objective.ts';
import type { Project } from '../../domain/project.ts';
import type { RecommendationJobData } from '../../domain/recommendation-job.ts';
import type { Attributes } from '../../domain/record.ts';
import { AppError } from '../../errors.ts';
import { explainedText } from '../../serving/answer-text.ts';
import { FilterSets } from '../../serving/filter-sets.ts';
import { describe } from '../../serving/item-texts.ts';
import { makeListOf } from '../../serving/list-of-question.ts';
import type { ListQuestion } from '../../serving/list-question.ts';
import { loadRecommender } from '../../serving/load-recommender.ts';
import { ModelCache, ModelUnavailable, type ServableModel } from '../../serving/model-cache.ts';
import type { RankingModels } from '../../serving/ranking-models.ts';
import type { JobContext } from '../job-handler.ts';

const NO_ATTRIBUTES = Object.freeze({});
/** A recommendation job has no top lists. */
const NO_TOP_LISTS = { list: async () => [] };

export class UserLists {
  readonly #store: JobContext['store'];
  readonly #models: RankingModels;
  readonly #data: RecommendationJobData;
  readonly #filter: CompiledFilter | null;
  readonly #filters = new FilterSets();
  readonly #historyLimit: number;

  private constructor(store: JobContext['store'], models: RankingModels, data: RecommendationJobData) {
    this.#store = store;
    this.#models = models;
    this.#data = data;
    this.#filter = data.filter_query ? compileFilter(data.filter_query) : null;
    const { generator, ranker } = models;
    this.#historyLimit = Math.max(generator.recommender.historyLimit, ranker?.recommender.historyLimit ?? 0);
  }

  static async open(
    { store, blobs }: Pick<JobContext, 'store' | 'blobs'>,
    project: Project,
    data: RecommendationJobData,
  ) {
    const cache = new ModelCache({ store, blobs, loadRecommender, budgetBytes: Number.MAX_SAFE_INTEGER });
    const load = (modelId: string) => loadModel(cache, project, modelId);
    const generator = await load(data.model_id);
    const ranker = data.ranker_model_id === null ? null : await load(data.ranker_model_id);
    await generator.follower.follow();
    return new UserLists(store, { project, deployment: 0, generator, ranker }, data);
  }

  /** One line of JSON per user. Users without events and without a record are left out if `onlyKnown`. */
  async linesOf(userIds: readonly string[], onlyKnown: boolean): Promise<string[]> {
    const { project } = this.#models;
    const records = await this.#store.users.getMany(project.user_dataset_id, userIds);
    const lines = await Promise.all(
      userIds.map((userId, n) => this.#line(userId, records[n]?.attributes ?? null, onlyKnown)),
    );
    return lines.filter((line) => line !== null);
  }

  async #line(userId: string, record: Attributes | null, onlyKnown: boolean): Promise<string | null> {
    const { project, generator } = this.#models;
    const { catalog, recommender } = generator;
    const stored = await this.#store.events.history(project.event_dataset_id, userId, this.#historyLimit);
    if (onlyKnown && stored.length === 0 && record === null) return null;
    const question = this.#question(userId, record);
    const allow = question.filter && (await this.#filters.select(project.account_id, catalog, question.filter));
    const attributes = recommender.readsAttributes && record !== null ? record : NO_ATTRIBUTES;
    const data = { models: this.#models, stored, attributes, allow, boosts: [], topLists: NO_TOP_LISTS };
    const { list, objective } = await makeListOf(question, data);
    const head = JSON.stringify({ user_id: userId, objective });
    const results = list.items.map((item) => {
      const text = JSON.stringify(describe(catalog, item.item, this.#data.attributes));
      return `{"item":${explainedText(text, item, 'score')}}`;
    });
    return `${head.slice(0, -1)},"results":[${results.join(',')}]}\n`;
  }

  #question(userId: string, record: Attributes | null): ListQuestion {
    const { objective, limit, filter_params, exclude_event_types } = this.#data;
    const inputs = { params: filter_params, user: record ?? undefined, nowMs: Date.now() };
    return {
      ...{ kinds: [{ kind: 'user', objective }], user_id: userId, limit, exclude_event_types },
      filter: this.#filter?.fold(inputs) ?? null,
      ...{ boosts: [], pins: [], diversity: null, exclude_item_ids: [], exclude_seen: null, shown: [] },
      ...{ touch_days: DEFAULT_TOUCH_DAYS, explain: false },
    };
  }
}

async function loadModel(cache: ModelCache, project: Project, modelId: string): Promise<ServableModel> {
  const { account_id: accountId, project_id: projectId } = project;
  try {
    return await cache.load({ accountId, projectId, modelId });
  } catch (error) {
    if (error instanceof ModelUnavailable) throw new JobFailure('MODEL_UNREADABLE', error.message);
    if (error instanceof AppError) {
      throw new JobFailure('MODEL_NOT_FOUND', `Model ${modelId} was deleted before the job ran.`);
    }
    throw error;
  }
}
