// Users of a project, cut into ranges that are worked on one by one: users with events by the shards of their events, of which a
// user never spans two, and the others as the last range. Users keep their order: what is made of all users at once, and what is
// joined from ranges in order, are the same.
import { type Job, JobFailure } from '../../domain/job.ts';
import type { Store } from '../../store/store.ts';

export interface UserRange {
  /** users whose events are in these */
  readonly shards: { readonly from: number; readonly to: number };
  /** whether users of the user dataset without events belong to it */
  readonly records: boolean;
  /** Users with events have numbers below: who came after the job began is left out. */
  readonly knownUsers: number;
  /** about how many users it has */
  readonly users: number;
}

/** All users of the job's project. */
export async function allUsers(
  store: Pick<Store, 'projects' | 'datasets' | 'events'>,
  { account_id, project_id }: Pick<Job, 'account_id' | 'project_id'>,
): Promise<UserRange> {
  const project = await store.projects.get(account_id, project_id);
  if (project === null) throw new JobFailure('PROJECT_NOT_FOUND', 'The project was deleted before the job ran.');
  const { event_dataset_id: datasetId } = project;
  const dataset = await store.datasets.get(account_id, 'event', datasetId);
  if (dataset === null) throw new JobFailure('DATASET_NOT_FOUND', 'The event dataset was deleted before the job ran.');
  const knownUsers = await store.events.internedCount(datasetId, 'user');
  const records = await store.datasets.get(account_id, 'user', project.user_dataset_id);
  const users = Math.max(knownUsers, records?.num_records ?? 0);
  return { shards: { from: 0, to: dataset.num_shards }, records: true, knownUsers, users };
}

/** Ranges of about `users` users each, in order, at most `most`; a small one is not cut. */
export function cutUsers(all: UserRange, users: number, most: number): UserRange[] {
  const { shards, knownUsers } = all;
  const count = shards.to - shards.from;
  const parts = Math.min(Math.ceil(knownUsers / users), count, most - 1);
  if (parts < 2) return [all];
  const edge = (part: number) => shards.from + Math.round((part * count) / parts);
  const ranges = Array.from({ length: parts }, (_, part) => ({
    ...{ shards: { from: edge(part), to: edge(part + 1) }, records: false, knownUsers },
    users: Math.ceil(knownUsers / parts),
  }));
  const others = { shards: { from: shards.to, to: shards.to }, records: true, knownUsers };
  return [...ranges, { ...others, users: all.users - knownUsers }];
}

/** About `users` of the users with events, or all of them. They are those of some shards: hashes spread users over shards. */
export function sampleOfUsers(all: UserRange, users: number): UserRange {
  const { from, to } = all.shards;
  const shards = Math.ceil((to - from) * Math.min(1, users / Math.max(1, all.knownUsers)));
  const share = shards / Math.max(1, to - from);
  return { ...all, shards: { from, to: from + shards }, records: false, users: Math.ceil(share * all.knownUsers) };
}

/** No events are read: who has some must be known in another way. */
export const isRecordsAlone = ({ shards }: UserRange): boolean => shards.from === shards.to;
