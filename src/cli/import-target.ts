// The project to import into, with its datasets. Created if no project has that name.
import type { Kindred, Project } from '../client/index.ts';
import type { RecordKind } from '../import/import-plan.ts';
import { createDataset, type DatasetWish, KIND_ORDER, MIN_SHARDS } from '../import/import-target.ts';
import { UsageError } from './exit-codes.ts';
import { findProject } from './project-choice.ts';

export function datasetOf(project: Project, kind: RecordKind): string {
  if (kind === 'users') return project.user_dataset_id;
  return kind === 'items' ? project.item_dataset_id : project.event_dataset_id;
}

export interface TargetType {
  /** What --target-event says. */
  given: string | undefined;
  /** The type for a new project if nothing is given; null if the files have no events. */
  guessed: string | null;
}

/** The project of that name. A new one gets a dataset per file as planned, and empty datasets for kinds without a file. */
export async function findOrCreateProject(
  kindred: Kindred,
  name: string,
  { given, guessed }: TargetType,
  wishes: DatasetWish[],
): Promise<{ project: Project; created: boolean }> {
  const existing = await findProject(kindred.iterateProjects(), name);
  if (existing) {
    refuseOtherTarget(existing, given);
    return { project: existing, created: false };
  }
  const targetEventType = given ?? guessed;
  if (targetEventType === null) {
    throw new UsageError(
      `${name} would be a new project, and no event in these files tells what it predicts. Add --target-event, e.g. --target-event purchase, or import events with them`,
    );
  }
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

function refuseOtherTarget({ name, target_event_type: own }: Project, given: string | undefined): void {
  if (given === undefined || given === own) return;
  throw new UsageError(
    `--target-event is ${given}, but the target event of the project ${name} is ${own} and cannot be changed. Leave out --target-event, or import into a new project`,
  );
}
