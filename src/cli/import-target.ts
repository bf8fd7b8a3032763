// The project to import into, with its datasets. Created if no project has that name.
import type { Kindred, Project } from '../client/index.ts';
import type { RecordKind } from '../import/import-plan.ts';
import { createDataset, type DatasetWish, KIND_ORDER, MIN_SHARDS } from '../import/import-target.ts';
import { findProject } from './project-choice.ts';

export function datasetOf(project: Project, kind: RecordKind): string {
  if (kind === 'users') return project.user_dataset_id;
  return kind === 'items' ? project.item_dataset_id : project.event_dataset_id;
}

/** The project of that name. A new one gets a dataset per file as planned, and empty datasets for kinds without a file. */
export async function findOrCreateProject(
  kindred: Kindred,
  name: string,
  targetEventType: string,
  wishes: DatasetWish[],
): Promise<{ project: Project; created: boolean }> {
  const existing = await findProject(kindred.iterateProjects(), name);
  if (existing) return { project: existing, created: false };
  const ids = new Map<RecordKind, string>();
  for (const kind of KIND_ORDER) {
    const ofKind = wishes.filter((wish) => wish.kind === kind);
    const numShards = ofKind.reduce((sum, wish) => sum + wish.numShards, 0) || MIN_SHARDS;
    ids.set(kind, await createDataset(kindred, { kind, name: `${name} ${kind}`, numShards }));
  }
  const project = await kindred.createProject({
    name,
    project_type: 'RECOMMEND_ITEMS_TO_USER',
    user_dataset_id: ids.get('users') as string,
    item_dataset_id: ids.get('items') as string,
    event_dataset_id: ids.get('events') as string,
    target_event_type: targetEventType,
  });
  return { project, created: true };
}
