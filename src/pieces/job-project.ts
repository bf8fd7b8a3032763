// The project of a job and its datasets. They can be deleted while the job waits.
import type { Dataset, DatasetKind } from '../domain/dataset.ts';
import { type Job, JobFailure } from '../domain/job.ts';
import type { Project } from '../domain/project.ts';
import type { Store } from '../store/store.ts';

export async function projectOfJob(
  { projects }: Pick<Store, 'projects'>,
  { account_id, project_id }: Pick<Job, 'account_id' | 'project_id'>,
): Promise<Project> {
  const project = await projects.get(account_id, project_id);
  if (project === null) throw new JobFailure('PROJECT_NOT_FOUND', 'The project was deleted before the job ran.');
  return project;
}

export async function datasetOfJob(
  { datasets }: Pick<Store, 'datasets'>,
  project: Project,
  kind: DatasetKind,
): Promise<Dataset> {
  const dataset = await datasets.get(project.account_id, kind, project[`${kind}_dataset_id`]);
  if (dataset === null) {
    throw new JobFailure('DATASET_NOT_FOUND', `The ${kind} dataset was deleted before the job ran.`);
  }
  return dataset;
}
