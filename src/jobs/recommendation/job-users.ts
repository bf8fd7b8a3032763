// Yields the users of a recommendation job, in batches. The users of a range come with their events, from one scan in the order
// of the store. Other users come with their ids alone. Each id is in memory once.
import { IdTable } from '../../base/id-table.ts';
import { JobFailure } from '../../domain/job.ts';
import type { Project } from '../../domain/project.ts';
import type { JobUsers } from '../../domain/recommendation-job.ts';
import { internedTable, UserDirectory } from '../../insight/users/user-directory.ts';
import { UserRuns } from '../../insight/users/user-runs.ts';
import type { PiecePlace } from '../../pieces/piece.ts';
import { isRecordsAlone } from '../../pieces/user-range.ts';
import { DELETED_USER } from '../../results/named-users.ts';
import { namedUsers } from '../../results/rename-users.ts';
import { referenceOf, resultKey } from '../../results/result-link.ts';
import { BlobNotFound } from '../../store/blob-store.ts';
import type { JobContext } from '../job-handler.ts';
import type { ListMaker } from './list-protocol.ts';
import { BatchFiller, type UserBatch, usersPerBatch } from './user-batch.ts';

type UserStores = Pick<JobContext, 'store' | 'blobs' | 'signal'>;
type ScanPlace = UserStores & Pick<PiecePlace, 'range' | 'elsewhere'>;

type BatchedLists = Pick<ListMaker, 'historyLimit' | 'listLength'>;

export interface JobBatches {
  /** estimated number of users */
  readonly users: number;
  /** estimated number of users of the whole job */
  readonly usersOfJob: number;
  batches(lists: BatchedLists): AsyncIterable<UserBatch>;
}

export async function batchesOf(users: JobUsers, project: Project, stores: ScanPlace): Promise<JobBatches> {
  if ('all' in users) {
    const { users: own, knownUsers } = stores.range;
    const batches = (lists: BatchedLists) => scanned(project, stores, lists);
    return { users: own, usersOfJob: Math.max(own, knownUsers), batches };
  }
  const table = 'job_id' in users ? await usersOfResult(users.job_id, project, stores) : IdTable.from(users.user_ids);
  const { length } = table;
  return { users: length, usersOfJob: length, batches: (lists) => batchesOfIds(table, lists, stores.signal) };
}

async function* batchesOfIds(
  ids: IdTable,
  { listLength }: BatchedLists,
  signal: AbortSignal,
): AsyncGenerator<UserBatch> {
  const users = usersPerBatch(listLength);
  for (let from = 0; from < ids.length; from += users) {
    signal.throwIfAborted();
    const count = Math.min(users, ids.length - from);
    yield { userIds: Array.from({ length: count }, (_, n) => ids.at(from + n)!), events: null };
  }
}

/** Users with events, then the others of the user dataset. */
async function* scanned(
  { event_dataset_id: datasetId, user_dataset_id }: Project,
  { store, signal, range, elsewhere }: ScanPlace,
  lists: BatchedLists,
): AsyncGenerator<UserBatch> {
  const { knownUsers } = range;
  const directory = new UserDirectory(elsewhere?.length ?? knownUsers);
  // Finding the users of the user dataset without events needs the ids of all users. Otherwise ids are looked up batch
  // by batch.
  if (range.records) {
    directory.setIds(elsewhere ?? (await internedTable(store.events, datasetId, 'user', knownUsers)));
  }
  const limits = { users: usersPerBatch(lists.listLength), historyLimit: lists.historyLimit };
  const filler = new BatchFiller(limits, async (users) =>
    range.records ? users.map((user) => directory.idOf(user)) : store.events.idsOf(datasetId, 'user', users),
  );
  const runs = new UserRuns();
  const add = async function* (found: ReturnType<UserRuns['of']>): AsyncGenerator<UserBatch> {
    for (const run of found) {
      // Users who came after the job began are left out.
      if (!directory.addWithEvents(run.user)) continue;
      filler.add(run);
      if (filler.isFull) yield (await filler.take())!;
    }
  };
  for await (const block of store.events.scan(datasetId, range.shards)) {
    signal.throwIfAborted();
    yield* add(runs.of(block));
  }
  yield* add(runs.rest());
  const last = await filler.take();
  if (last !== null) yield last;
  if (!range.records) return;
  if (isRecordsAlone(range)) directory.markKnown();
  for await (const records of store.users.scan(user_dataset_id)) {
    signal.throwIfAborted();
    const ids = records.map(({ id }) => id).filter((id) => directory.addRecord(id));
    yield* batchesOfIds(IdTable.from(ids), lists, signal);
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
  return new JobFailure(
    'RESULT_NOT_FOUND',
    `The result of job ${jobId} no longer exists. Submit the querying job again.`,
  );
}
