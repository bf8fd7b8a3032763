// A user's list once the user has been read: the items of its filters, then the steps of a list. The same for a call and a job.

import { type Runtime, systemRuntime } from '../base/runtime.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { ItemBitmap } from '../catalog/item-set.ts';
import type { FoldedFilter } from '../domain/filter/compile-filter.ts';
import type { Project } from '../domain/project.ts';
import type { FilterSets } from './filter-sets.ts';
import { type ListData, type MadeList, makeListOf } from './list-of-question.ts';
import type { ListQuestion } from './list-question.ts';
import type { RankingModels } from './ranking-models.ts';
import type { TopLists } from './top-lists.ts';

/** The catalog may change while filters are evaluated. Then they are evaluated again, but not forever. */
const MAX_SELECTIONS = 3;

export interface FilteredListParts {
  readonly filters: FilterSets;
  readonly topLists: Pick<TopLists, 'of'>;
  readonly runtime?: Runtime;
}

export async function filteredList(
  { filters: filterSets, topLists, runtime = systemRuntime }: FilteredListParts,
  models: RankingModels,
  question: ListQuestion,
  user: Pick<ListData, 'stored' | 'attributes'>,
): Promise<MadeList> {
  const top = await topLists.of(models.project, question.kinds, models.generator.follower);
  const sets = await questionSets(filterSets, models, question);
  return makeListOf(question, { models, ...user, ...sets, top, nowMs: runtime.nowMs() });
}

interface FilteredCatalog {
  readonly project: Pick<Project, 'account_id'>;
  readonly generator: { readonly catalog: Catalog };
}

/** The items of a question's filter and boosts. Use them before you await anything else. */
export async function questionSets(
  filterSets: FilterSets,
  models: FilteredCatalog,
  question: Pick<ListQuestion, 'filter' | 'boosts'>,
): Promise<Pick<ListData, 'allow' | 'boosts'>> {
  const filters = [...(question.filter ? [question.filter] : []), ...question.boosts.map(({ filter }) => filter)];
  const sets = filters.length === 0 ? [] : await selectAll(filterSets, models, filters);
  const boosted = sets.slice(question.filter ? 1 : 0);
  return {
    allow: question.filter ? sets[0] : null,
    boosts: question.boosts.map(({ factor }, n) => ({ items: boosted[n], factor })),
  };
}

/** The items that meet each filter, all at the same moment. Use them before you await anything else. */
async function selectAll(
  filterSets: FilterSets,
  { project, generator: { catalog } }: FilteredCatalog,
  filters: readonly FoldedFilter[],
): Promise<readonly ItemBitmap[]> {
  const select = () => Promise.all(filters.map((filter) => filterSets.select(project.account_id, catalog, filter)));
  if (filters.length === 1) return select();
  for (let selection = 1; ; selection++) {
    const { version } = catalog;
    const sets = await select();
    if (catalog.version === version || selection === MAX_SELECTIONS) return sets;
  }
}
