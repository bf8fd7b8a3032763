// A project with empty datasets, for tests that only need one to be there.
import type { ApiCaller } from './service.ts';

export interface EmptyProject {
  project_id: string;
  user_dataset_id: string;
  item_dataset_id: string;
  event_dataset_id: string;
}

export async function createEmptyProject(api: ApiCaller, name = 'shop'): Promise<EmptyProject> {
  const { user_dataset_id } = await api.ok('POST', '/create-user-dataset', { name });
  const { item_dataset_id } = await api.ok('POST', '/create-item-dataset', { name });
  const { event_dataset_id } = await api.ok('POST', '/create-event-dataset', { name });
  const datasets = { user_dataset_id, item_dataset_id, event_dataset_id };
  const { project_id } = await api.ok('POST', '/create-project', {
    ...datasets,
    name,
    project_type: 'RECOMMEND_ITEMS_TO_USER',
    target_event_type: 'purchase',
  });
  return { project_id, ...datasets };
}
