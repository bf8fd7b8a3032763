// A project with planted taste in a real store, and a model of it made by hand: users of a group turn mostly to the items of
// one genre. What querying and clustering find can be compared with what was planted.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { saveModel } from '../../src/artifact/g1-file.ts';
import type { G1Model } from '../../src/artifact/g1-model.ts';
import { systemRuntime } from '../../src/base/runtime.ts';
import { seededRandom } from '../../src/base/seeded-random.ts';
import type { Job, JobProgress, JobType } from '../../src/domain/job.ts';
import { openBlobStore } from '../../src/store/blob/open-blob-store.ts';
import { openStore } from '../../src/store/open-store.ts';
import { newId, newJob } from './new-ids.ts';
import { makeAccount, makeDataset } from './store-fixtures.ts';
import type { TestPlace } from './test-database.ts';
import { type ToyEvent, toyModel } from './toy-model.ts';

export interface PlantedOptions {
  groups: number;
  usersPerGroup: number;
  itemsPerGroup: number;
  eventsPerUser: number;
  /** share of a user's events that go to the own genre */
  loyalty: number;
}

export const genreOf = (group: number): string => `genre-${group}`;
export const groupOfUser = (userId: string): number => Number(userId.split('-')[1]);

/** `place`: where it is kept; left out: in a new folder, on SQLite. */
export async function plantedProject(options: PlantedOptions, place?: TestPlace) {
  const { groups, usersPerGroup, itemsPerGroup, eventsPerUser, loyalty } = options;
  const dataDir = place?.dataDir ?? (await mkdtemp(join(tmpdir(), 'kindred-planted-')));
  const config = { dataDir, databaseUrl: place?.databaseUrl ?? null };
  const store = await openStore(config);
  const blobs = openBlobStore({ dataDir });
  const accountId = await makeAccount(store);
  const users = await makeDataset(store, accountId, 'user');
  const items = await makeDataset(store, accountId, 'item');
  const events = await makeDataset(store, accountId, 'event');
  const project = {
    account_id: accountId,
    project_id: newId('project'),
    name: 'planted',
    project_type: 'RECOMMEND_ITEMS_TO_USER' as const,
    user_dataset_id: users.dataset_id,
    item_dataset_id: items.dataset_id,
    event_dataset_id: events.dataset_id,
    target_event_type: 'buy',
    created_ts: Date.now(),
  };
  await store.projects.create(project);

  const { next: random } = seededRandom(7);
  const itemId = (group: number, n: number) => `i-${group}-${n}`;
  const records = [];
  for (let group = 0; group < groups; group++)
    for (let n = 0; n < itemsPerGroup; n++)
      records.push({
        id: itemId(group, n),
        attributes: {
          title: `Item ${n} of ${group}`,
          genre: genreOf(group),
          tags: ['all', n % 2 ? 'odd' : 'even'],
          year: 1990 + n,
          fresh: n < 2,
        },
      });
  await inBlocks(records, (block) => store.items.upsert(items, block));

  const list: ToyEvent[] = [];
  for (let user = 0; user < groups * usersPerGroup; user++) {
    const group = user % groups;
    for (let n = 0; n < eventsPerUser; n++) {
      const genre = random() < loyalty ? group : Math.floor(random() * groups);
      list.push({ user: `u-${group}-${user}`, item: itemId(genre, Math.floor(random() ** 1.5 * itemsPerGroup)) });
    }
  }
  await inBlocks(
    list.map(({ user, item }, n) => ({
      event_id: `e${n}`,
      user_id: user,
      item_id: item,
      ts: n,
      event_type: 'buy',
      event_value: 1,
      attributes: {},
    })),
    (block) => store.events.upsert(events, block),
  );
  // Users of the dataset without events.
  await store.users.upsert(
    users,
    ['new-1', 'new-2', 'new-3'].map((id) => ({ id, attributes: {} })),
  );

  const model = plantedModel(list, groups);
  const file = join(dataDir, 'model.kindred');
  await saveModel(file, model);
  const modelId = newId('model');
  await blobs.putFile(`models/${modelId}.kindred`, file);
  const { queue } = store;
  const training = jobOf(accountId, project.project_id, 'TRAINING', {});
  await store.jobs.submit(training);
  const claimed = await queue.claim('test', ['TRAINING'], Date.now());
  await queue.finish(
    claimed!.lease,
    {
      result: { model_id: modelId },
      model: {
        account_id: accountId,
        project_id: project.project_id,
        model_id: modelId,
        name: 'planted',
        algorithm_type: 'G1',
        algorithm_parameters: {},
        created_ts: Date.now(),
        job_id: training.job_id,
        artifact_key: `models/${modelId}.kindred`,
        metrics: null,
        training: {},
      },
    },
    Date.now(),
  );

  return {
    store,
    blobs,
    model,
    modelId,
    project,
    datasets: { users, items, events },
    /** What a handler gets for such a job. */
    async run(jobType: JobType, jobData: Record<string, unknown>) {
      const scratchDir = await mkdtemp(join(dataDir, 'scratch-'));
      const heard: JobProgress[] = [];
      const job = jobOf(accountId, project.project_id, jobType, { model_id: modelId, ...jobData });
      return {
        job,
        attemptId: `${job.job_id}-1`,
        store,
        blobs,
        config,
        scratchDir,
        heard,
        progress: (progress: JobProgress) => void heard.push(progress),
        signal: new AbortController().signal,
        runtime: systemRuntime,
        threads: 2,
      };
    },
    async close(): Promise<void> {
      await store.close();
      await (place ? place.remove() : rm(dataDir, { recursive: true }));
    },
  };
}

/** Co-occurrence as the toy model has it, and item vectors that say the genre, with some noise. */
function plantedModel(events: readonly ToyEvent[], groups: number): G1Model {
  const { next: random } = seededRandom(3);
  const model = toyModel(events);
  const dimensions = groups + 2;
  const values = new Float32Array(model.warmItemCount * dimensions);
  for (let item = 0; item < model.warmItemCount; item++) {
    for (let d = 0; d < dimensions; d++) values[item * dimensions + d] = (random() - 0.5) * 0.6;
    values[item * dimensions + Number(model.itemIds.at(item)!.split('-')[1])] += 1;
  }
  return { ...model, vectors: { dimensions, values } };
}

function jobOf(accountId: string, projectId: string, jobType: JobType, jobData: Record<string, unknown>): Job {
  return newJob({ account_id: accountId, project_id: projectId, job_type: jobType, job_data: jobData });
}

async function inBlocks<T>(records: readonly T[], write: (block: T[]) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < records.length; from += 1000) await write(records.slice(from, from + 1000));
}
