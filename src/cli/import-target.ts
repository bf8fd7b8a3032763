// Where an import goes: a dataset given by id, the datasets of a project (made if there is none of that name), or a new
// dataset called after the file.
import type { Kindred, Project } from '../client/index.ts';
import type { RecordKind } from '../import/import-plan.ts';
import { findProject } from './project-choice.ts';

export interface DatasetWish {
  kind: RecordKind;
  name: string;
  numShards: number;
}

const RECORDS_PER_SHARD = 100_000;
const MIN_SHARDS = 10;

/** Room for half as many again as the file seems to hold. */
export function shardsFor(estimatedRecords: number): number {
  return Math.max(MIN_SHARDS, Math.ceil((estimatedRecords * 1.5) / RECORDS_PER_SHARD));
}

export async function createDataset(kindred: Kindred, wish: DatasetWish): Promise<string> {
  const request = { name: wish.name.slice(0, 128), num_shards: wish.numShards };
  if (wish.kind === 'users') return (await kindred.createUserDataset(request)).user_dataset_id;
  if (wish.kind === 'items') return (await kindred.createItemDataset(request)).item_dataset_id;
  return (await kindred.createEventDataset(request)).event_dataset_id;
}

export function datasetOf(project: Project, kind: RecordKind): string {
  if (kind === 'users') return project.user_dataset_id;
  return kind === 'items' ? project.item_dataset_id : project.event_dataset_id;
}

/** The project of that name; a new one gets datasets for the given wishes, and empty ones for kinds without a file. */
export async function findOrCreateProject(
  kindred: Kindred,
  name: string,
  targetEventType: string,
  wishes: DatasetWish[],
): Promise<{ project: Project; created: boolean }> {
  const existing = await findProject(kindred, name);
  if (existing) return { project: existing, created: false };
  const ids = new Map<RecordKind, string>();
  for (const kind of ['users', 'items', 'events'] as const) {
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
