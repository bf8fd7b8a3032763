// The short way to the lists of a batch: where a job asks the same of every user, lists come straight from the columns of the scan
// (scoring/column-search.ts). Users for whom that is not enough are left to the usual way.

import type { Runtime } from '../../base/runtime.ts';
import type { Attributes } from '../../domain/record.ts';
import type { ColumnQuestion, ColumnSearch } from '../../scoring/column-search.ts';
import type { FilterSets } from '../../serving/filter-sets.ts';
import { questionSets } from '../../serving/filtered-list.ts';
import type { RankingModels } from '../../serving/ranking-models.ts';
import type { BatchHistories } from './batch-histories.ts';
import type { JobQuestions } from './job-questions.ts';
import type { ListOrder } from './list-protocol.ts';
import type { ListWriter } from './list-writer.ts';
import type { BatchEvents } from './user-batch.ts';

export interface ColumnListsParts {
  readonly order: ListOrder;
  readonly models: RankingModels;
  readonly filters: FilterSets;
  readonly asked: JobQuestions;
  readonly histories: BatchHistories;
  readonly writer: ListWriter;
  readonly runtime: Runtime;
}

/** The lists of one batch. */
export interface BatchLists {
  /**
   * Writes the list of the n-th user. Returns false if it must be made the usual way. `attributes` are the user's, if the model
   * reads them.
   */
  write(userId: string, n: number, attributes: Attributes): boolean;
}

export class ColumnLists {
  readonly #parts: ColumnListsParts;
  /** null if the job asks for more than columns can answer */
  readonly #search: ColumnSearch | null;
  readonly #objective: ColumnQuestion['objective'];

  constructor(parts: ColumnListsParts) {
    const { order, models, asked } = parts;
    const { recommender } = models.generator;
    const { placement, data } = order;
    this.#parts = parts;
    const objective =
      data.objective === null || data.objective === 'auto' ? recommender.objectives.auto : data.objective;
    const isPlain = placement === null && models.ranker === null && data.call === undefined;
    const isByModel = objective === 'discover' || objective === 'any';
    this.#objective = isByModel ? objective : 'discover';
    this.#search = isPlain && isByModel && !asked.readsUsers ? recommender.columnSearch() : null;
  }

  /** `anyUser` is any user of the batch. The ids of the batch must be known. */
  async of(events: BatchEvents, anyUser: string): Promise<BatchLists | null> {
    const { asked, filters, models, histories, writer, runtime } = this.#parts;
    const search = this.#search;
    if (search === null) return null;
    const { question } = await asked.of(anyUser, null);
    const { allow } = await questionSets(filters, models, question);
    const about: ColumnQuestion = {
      objective: this.#objective,
      limit: question.limit,
      allow,
      names: histories.names,
      nowMs: runtime.nowMs(),
      touchDays: question.touch_days,
      excludedTypes: question.exclude_event_types,
    };
    return {
      write: (userId, n, attributes) => {
        const run = { columns: events, from: events.offsets[n], to: events.offsets[n + 1] };
        const count = search.find(run, about, attributes);
        if (count < 0) return false;
        writer.start(userId, about.objective);
        for (let place = 0; place < count; place++) writer.add(search.items[place], search.scores[place]);
        writer.end();
        return true;
      },
    };
  }
}
