// Whom a recommendation job is for, in batches. All users of a project come with their events, from one scan in the order of the
// store; others are named by their ids alone. Ids are in memory, each once.
import { IdTable } from '../../domain/id-table.ts';
import { JobFailure } from '../../domain/job.ts';
import type { Project } from '../../domain/project.ts';
import type { JobUsers } from '../../domain/recommendation-job.ts';
import { DELETED_USER } from '../../insight/results/named-users.ts';
import { namedUsers } from '../../insight/results/rename-users.ts';
import { referenceOf, resultKey } from '../../insight/results/result-link.ts';
import { internedTable, UserDirectory } from '../../insight/users/user-directory.ts';
import { UserRuns } from '../../insight/users/user-runs.ts';
import { BlobNotFound } from '../../store/blob-store.ts';
import type { JobContext } from '../job-handler.ts';
import { BATCH_USERS, BatchFiller, type UserBatch } from './user-batch.ts';

type UserStores = Pick<JobContext, 'store' | 'blobs' | 'signal'>;

export interface JobBatches {
  /** about how many users there are */
  readonly users: number;
  /** `historyLimit`: newest events of a user that count. */
  batches(historyLimit: number): AsyncIterable<UserBatch>;
}

export async function batchesOf(users: JobUsers, project: Project, stores: UserStores): Promise<JobBatches> {
  if ('all' in users) return batchesOfProject(project, stores);
  const table = 'job_id' in users ? await usersOfResult(users.job_id, project, stores) : IdTable.from(users.user_ids);
  return { users: table.length, batches: () => batchesOfIds(table, stores.signal) };
}

async function* batchesOfIds(ids: IdTable, signal: AbortSignal): AsyncGenerator<UserBatch> {
  for (let from = 0; from < ids.length; from += BATCH_USERS) {
    signal.throwIfAborted();
    const count = Math.min(BATCH_USERS, ids.length - from);
    yield { userIds: Array.from({ length: count }, (_, n) => ids.at(from + n)!), events: null };
  }
}

async function batchesOfProject(project: Project, stores: UserStores): Promise<JobBatches> {
  const { store } = stores;
  const { event_dataset_id: datasetId, account_id } = project;
  const dataset = await store.datasets.get(account_id, 'event', datasetId);
  if (dataset === null) throw new JobFailure('DATASET_NOT_FOUND', 'The event dataset was deleted before the job ran.');
  const withEvents = await store.events.internedCount(datasetId, 'user');
  const records = await store.datasets.get(account_id, 'user', project.user_dataset_id);
  return {
    users: Math.max(withEvents, records?.num_records ?? 0),
    batches: (historyLimit) =>
      scanned(project, stores, { shards: dataset.num_shards, knownUsers: withEvents, historyLimit }),
  };
}

interface ScanSize {
  readonly shards: number;
  readonly knownUsers: number;
  readonly historyLimit: number;
}

/** Users with events, then the others of the user dataset. */
async function* scanned(
  { event_dataset_id: datasetId, user_dataset_id }: Project,
  { store, signal }: UserStores,
  { shards, knownUsers, historyLimit }: ScanSize,
): AsyncGenerator<UserBatch> {
  const directory = new UserDirectory(knownUsers);
  directory.setIds(await internedTable(store.events, datasetId, 'user', knownUsers));
  const filler = new BatchFiller(historyLimit);
  const runs = new UserRuns();
  const add = function* (found: ReturnType<UserRuns['of']>): Generator<UserBatch> {
    for (const run of found) {
      // Who came after the job began is left out.
      if (!directory.addWithEvents(run.user)) continue;
      filler.add(directory.idOf(run.user), run);
      if (filler.isFull) yield filler.take()!;
    }
  };
  for await (const block of store.events.scan(datasetId, { from: 0, to: shards })) {
    signal.throwIfAborted();
    yield* add(runs.of(block));
  }
  yield* add(runs.rest());
  const last = filler.take();
  if (last !== null) yield last;
  for await (const records of store.users.scan(user_dataset_id)) {
    signal.throwIfAborted();
    const ids = records.map(({ id }) => id).filter((id) => directory.addRecord(id));
    yield* batchesOfIds(IdTable.from(ids), signal);
  }
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
