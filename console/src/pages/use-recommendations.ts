// One recommendation call as a query, repeated when anything it depends on changes.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Project } from '../../../src/client/index.ts';
import { useAttributeStatistics } from '../api/statistics.ts';
import { useClient } from '../session/session.tsx';
import type { PersonFields } from './audience.tsx';

export type SeenChoice = 'auto' | 'leave-out' | 'allow';
export type Objective = 'auto' | 'discover' | 'continue' | 'again' | 'any';

export interface RecommendationChoices {
  /** null: nobody is chosen yet. */
  person: PersonFields | null;
  limit: number;
  filter?: string;
  /** What the list is for; the model decides if missing. */
  objective?: Objective;
  seen?: SeenChoice;
  /** A model of the project; null for what is deployed. */
  modelId?: string | null;
  enabled?: boolean;
}

const MOST_ATTRIBUTES = 8;

export function useItemAttributeNames(itemDatasetId: string): string[] | undefined {
  const statistics = useAttributeStatistics('item', itemDatasetId);
  if (statistics.error) return [];
  return statistics.data?.attributes.map(({ attribute }) => attribute).slice(0, MOST_ATTRIBUTES);
}

export function useRecommendations(project: Project, choices: RecommendationChoices) {
  const client = useClient();
  const attributes = useItemAttributeNames(project.item_dataset_id);
  const request = {
    project_id: project.project_id,
    ...choices.person,
    limit: choices.limit,
    attributes: attributes ?? [],
    explain: true,
    ...(choices.objective ? { objective: choices.objective } : {}),
    ...(choices.filter?.trim() ? { filter_query: choices.filter.trim() } : {}),
    ...(choices.seen === 'leave-out'
      ? { exclude_seen: true }
      : choices.seen === 'allow'
        ? { exclude_seen: false }
        : {}),
    ...(choices.modelId ? { model_id: choices.modelId } : {}),
  };
  return useQuery({
    queryKey: ['/recommend-items-to-user', request],
    queryFn: ({ signal }) => client.recommendItemsToUser(request, { signal }),
    enabled: choices.person !== null && attributes !== undefined && (choices.enabled ?? true),
    placeholderData: keepPreviousData,
  });
}
