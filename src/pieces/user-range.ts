// Users of a project, cut into ranges that are worked on one by one: users with events by the shards of their events, of which a
// user never spans two, and the others as the last range. Users keep their order: what is made of all users at once, and what is
// joined from ranges in order, are the same.
import type { Job } from '../domain/job.ts';
import type { Store } from '../store/store.ts';
import { datasetOfJob, projectOfJob } from './job-project.ts';

export interface UserRange {
  /** users whose events are in these */
  readonly shards: { readonly from: number; readonly to: number };
  /** whether users of the user dataset without events belong to it */
  readonly records: boolean;
  /** Users with events have smaller numbers. Users who came after the job began have larger ones and are left out. */
  readonly knownUsers: number;
  /** estimated number of users */
  readonly users: number;
}

/** Returns the range of all users of the job's project. */
export async function allUsers(
  store: Pick<Store, 'projects' | 'datasets' | 'events'>,
  job: Pick<Job, 'account_id' | 'project_id'>,
): Promise<UserRange> {
  const project = await projectOfJob(store, job);
  const { event_dataset_id: datasetId } = project;
  const dataset = await datasetOfJob(store, project, 'event');
  const knownUsers = await store.events.internedCount(datasetId, 'user');
  const records = await store.datasets.get(job.account_id, 'user', project.user_dataset_id);
  const users = Math.max(knownUsers, records?.num_records ?? 0);
  return { shards: { from: 0, to: dataset.num_shards }, records: true, knownUsers, users };
}

export interface UserCut {
  /** estimated users per range */
  readonly users: number;
  /** maximum number of ranges */
  readonly most: number;
  /**
   * Estimated users of the first range; default: as many as the others. Shards are filled by hash, so these users are a sample.
   */
  readonly leading?: number | undefined;
}

/** Ranges in order, those without events last; a small one is not cut. */
export function cutUsers(all: UserRange, { users, most, leading = 0 }: UserCut): UserRange[] {
  const { shards, knownUsers } = all;
  const count = shards.to - shards.from;
  const usersOf = (shardCount: number) => Math.ceil((shardCount * knownUsers) / count);
  const first = Math.min(count, Math.ceil((count * leading) / Math.max(1, knownUsers)));
  const left = count - first;
  const parts = Math.min(Math.ceil(usersOf(left) / users), left, most - (first > 0 ? 2 : 1));
  const edges = Array.from({ length: parts }, (_, part) => shards.to - left + Math.round((part * left) / parts));
  if (first > 0) edges.unshift(shards.from);
  if (edges.length < 2) return [all];
  const ranges = edges.map((from, n) => {
    const to = edges[n + 1] ?? shards.to;
    return { shards: { from, to }, records: false, knownUsers, users: usersOf(to - from) };
  });
  const others = { shards: { from: shards.to, to: shards.to }, records: true, knownUsers };
  return [...ranges, { ...others, users: all.users - knownUsers }];
}

/** Whether the range has no shards, so that no events are read. Which users have events must then be known in another way. */
export const isRecordsAlone = ({ shards }: UserRange): boolean => shards.from === shards.to;
