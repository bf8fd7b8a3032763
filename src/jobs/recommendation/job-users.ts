// Whom a recommendation job is for. Ids alone are in memory, each once.
import { IdTable } from '../../domain/id-table.ts';
import { JobFailure } from '../../domain/job.ts';
import type { Project } from '../../domain/project.ts';
import type { JobUsers } from '../../domain/recommendation-job.ts';
import { DELETED_USER } from '../../insight/results/named-users.ts';
import { namedUsers } from '../../insight/results/rename-users.ts';
import { referenceOf, resultKey } from '../../insight/results/result-link.ts';
import { BlobNotFound } from '../../store/blob-store.ts';
import { isForgotten } from '../../store/event-store.ts';
import type { JobContext } from '../job-handler.ts';

type UserStores = Pick<JobContext, 'store' | 'blobs' | 'signal'>;

export async function usersOf(users: JobUsers, project: Project, stores: UserStores): Promise<IdTable> {
  if ('user_ids' in users) {
    const table = new IdTable();
    for (const id of users.user_ids) table.intern(id);
    return table;
  }
  return 'job_id' in users ? usersOfResult(users.job_id, project, stores) : usersOfProject(project, stores);
}

/** Users with events, then the others of the user dataset. */
async function usersOfProject(project: Project, { store, signal }: UserStores): Promise<IdTable> {
  const table = new IdTable();
  for await (const ids of store.events.internedIds(project.event_dataset_id, 'user')) {
    signal.throwIfAborted();
    for (const id of ids) if (!isForgotten(id)) table.intern(id);
  }
  for await (const records of store.users.scan(project.user_dataset_id)) {
    signal.throwIfAborted();
    for (const { id } of records) table.intern(id);
  }
  return table;
}

async function usersOfResult(jobId: string, project: Project, { store, blobs, signal }: UserStores): Promise<IdTable> {
  const job = await store.jobs.get(project.account_id, project.project_id, jobId);
  const path = job?.job_result?.download_path;
  const reference = typeof path === 'string' ? referenceOf(path) : null;
  if (reference === null) throw resultGone(jobId);
  const table = new IdTable();
  try {
    const { stream } = await blobs.read(resultKey(reference, 'json'));
    for await (const ids of namedUsers(stream)) {
      signal.throwIfAborted();
      for (const id of ids) if (id !== DELETED_USER) table.intern(id);
    }
  } catch (error) {
    throw error instanceof BlobNotFound ? resultGone(jobId) : error;
  }
  return table;
}

function resultGone(jobId: string): JobFailure {
  return new JobFailure('RESULT_NOT_FOUND', `The result of job ${jobId} is gone. Submit the querying job again.`);
}
