// The list of each user, as /recommend-items-to-user or the placement would return it now: the same models, the same steps (src/placements).
// Belongs to one thread. The catalog stays as it was when the job began.
import { JobFailure } from '../../domain/job.ts';
import type { Project } from '../../domain/project.ts';
import type { Attributes } from '../../domain/record.ts';
import { AppError } from '../../errors.ts';
import { CountedLists } from '../../serving/counted-lists.ts';
import { FilterSets } from '../../serving/filter-sets.ts';
import { type FilteredListParts, filteredList } from '../../serving/filtered-list.ts';
import { loadRecommender } from '../../serving/load-recommender.ts';
import { ModelCache, ModelUnavailable, type ServableModel } from '../../serving/model-cache.ts';
import { type RankingModels, readsAttributes } from '../../serving/ranking-models.ts';
import { markOf } from '../../serving/response-text.ts';
import { TopLists } from '../../serving/top-lists.ts';
import type { JobContext } from '../job-handler.ts';
import { BatchHistories, type StoredEvent } from './batch-histories.ts';
import { ColumnLists } from './column-lists.ts';
import { JobQuestions, longestList } from './job-questions.ts';
import type { ListMaker, ListOrder, MadeLists } from './list-protocol.ts';
import { ListWriter } from './list-writer.ts';
import type { UserBatch } from './user-batch.ts';

type ListStores = Pick<JobContext, 'store' | 'blobs' | 'runtime'>;

/** A small number: a read fails if it waits for seconds for one of the few connections of its thread. */
const READS_AT_ONCE = 8;

const NO_ATTRIBUTES = Object.freeze({});

export class UserLists implements ListMaker {
  readonly #store: ListStores['store'];
  readonly #models: RankingModels;
  readonly #asked: JobQuestions;
  readonly #cache: ModelCache;
  /** by the id of the generator */
  readonly #others = new Map<string, Promise<RankingModels>>();
  readonly #parts: FilteredListParts;
  readonly #histories: BatchHistories;
  readonly #writer: ListWriter;
  readonly #columnLists: ColumnLists;
  readonly columns: ListMaker['columns'];
  readonly historyLimit: number;
  readonly listLength: number;
  readonly memoryBytes: number;

  private constructor(
    { store, runtime }: Omit<ListStores, 'blobs'>,
    models: RankingModels,
    order: ListOrder,
    cache: ModelCache,
  ) {
    this.#store = store;
    this.#cache = cache;
    this.#models = models;
    this.columns = order;
    this.listLength = longestList(order);
    this.#asked = new JobQuestions(order, store.outcomes, runtime);
    const topLists = new TopLists(new CountedLists({ store, now: () => runtime.nowMs() }));
    this.#parts = { filters: new FilterSets(), topLists, runtime };
    this.#histories = new BatchHistories(store.events, order.project.event_dataset_id);
    this.#writer = new ListWriter(models.generator.catalog, order);
    const { filters } = this.#parts;
    this.#columnLists = new ColumnLists({
      order,
      models,
      filters,
      asked: this.#asked,
      histories: this.#histories,
      writer: this.#writer,
      runtime,
    });
    this.memoryBytes = cache.memoryBytes();
    const { generator, ranker } = models;
    this.historyLimit = Math.max(generator.recommender.historyLimit, ranker?.recommender.historyLimit ?? 0);
  }

  static async open({ store, blobs, runtime }: ListStores, order: ListOrder): Promise<UserLists> {
    const { project, data } = order;
    const cache = new ModelCache({ store, blobs, loadRecommender, budgetBytes: Number.MAX_SAFE_INTEGER });
    const load = (modelId: string) => loadModel(cache, project, modelId);
    const generator = await load(data.model_id);
    const ranker = data.ranker_model_id === null ? null : await load(data.ranker_model_id);
    await generator.follower.follow();
    await generator.recommender.settle();
    return new UserLists({ store, runtime }, { project, deployment: 0, generator, ranker }, order, cache);
  }

  async *make(batches: AsyncIterable<UserBatch>): AsyncGenerator<MadeLists> {
    for await (const batch of batches) yield await this.linesOf(batch);
  }

  async close(): Promise<void> {}

  /** Makes one line of JSON per user. */
  async linesOf({ userIds, events }: UserBatch): Promise<MadeLists> {
    if (events !== null) await this.#histories.know(events);
    const columns = events === null ? null : await this.#columnLists.of(events, userIds[0]).catch(asFailure);
    const [histories, records] = await Promise.all([
      events === null ? this.#historiesOf(userIds) : null,
      this.#recordsOf(userIds),
    ]);
    for (const [n, userId] of userIds.entries()) {
      const record = records?.[n] ?? null;
      if (columns?.write(userId, n, this.#attributesOf(record))) continue;
      await this.#write(userId, histories?.[n] ?? this.#histories.of(events!, n), record).catch(asFailure);
    }
    const found = histories === null ? [] : userIds.filter((_, n) => histories[n].length > 0 || records?.[n]);
    return { ...this.#writer.take(), users: userIds.length, found };
  }

  async #historiesOf(userIds: readonly string[]): Promise<StoredEvent[][]> {
    const { event_dataset_id } = this.#models.project;
    const histories: StoredEvent[][] = [];
    for (let from = 0; from < userIds.length; from += READS_AT_ONCE) {
      const ids = userIds.slice(from, from + READS_AT_ONCE);
      const read = ids.map((id) => this.#store.events.history(event_dataset_id, id, this.historyLimit));
      histories.push(...(await Promise.all(read)));
    }
    return histories;
  }

  /** Returns null if no records are needed. */
  async #recordsOf(userIds: readonly string[]): Promise<(Attributes | null)[] | null> {
    const { project } = this.#models;
    if (!readsAttributes(this.#models) && !this.#asked.readsUsers) return null;
    const records = await this.#store.users.getMany(project.user_dataset_id, userIds);
    return records.map((record) => record?.attributes ?? null);
  }

  async #write(userId: string, stored: readonly StoredEvent[], record: Attributes | null): Promise<void> {
    const attributes = this.#attributesOf(record);
    const { question, modelId } = await this.#asked.of(userId, record);
    const models = await this.#modelsFor(modelId);
    const { list, objective } = await filteredList(this.#parts, models, question, { stored, attributes });
    this.#writer.start(userId, objective);
    for (const listed of list.items) {
      this.#writer.add(listed.item, listed.pinned ? null : listed.score, markOf(listed));
    }
    this.#writer.end();
  }

  #attributesOf(record: Attributes | null): Attributes {
    return record !== null && readsAttributes(this.#models) ? record : NO_ATTRIBUTES;
  }

  /**
   * Returns the models of the job, or another model named by the user's variant of the placement unless it was deleted.
   */
  #modelsFor(modelId: string | null): RankingModels | Promise<RankingModels> {
    const { project, generator } = this.#models;
    if (modelId === null || modelId === generator.modelId) return this.#models;
    let models = this.#others.get(modelId);
    if (models === undefined) {
      models = loadModel(this.#cache, project, modelId).then(
        (other) => ({ ...this.#models, generator: other, ranker: null }),
        (error) => {
          if (error instanceof JobFailure && error.code === 'MODEL_NOT_FOUND') return this.#models;
          throw error;
        },
      );
      this.#others.set(modelId, models);
    }
    return models;
  }
}

/** A filter that does not fit a user's attributes fails for every attempt. */
function asFailure(error: unknown): never {
  if (error instanceof AppError && error.code === 'INVALID_FILTER') throw new JobFailure(error.code, error.message);
  throw error;
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
