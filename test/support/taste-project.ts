// A project with planted taste, for tests of serving: users 0, 1, 2 … like the items of their own kind (user % KINDS = item %
// KINDS) and had all of them but one each.
import { setTimeout as sleep } from 'node:timers/promises';
import type { G1Model } from '../../src/artifact/g1-model.ts';
import type { ApiCaller } from './service.ts';
import { type ToyEvent, toyModel } from './toy-model.ts';

export const KINDS = 3;
export const ITEMS = 60;
export const USERS = 60;
const GENRES = ['Drama', 'Comedy', 'Horror'];

export const isOfKind = (itemId: string, kind: number): boolean => Number(itemId.slice(1)) % KINDS === kind;

export interface TasteProject {
  project_id: string;
  serving_uri: string;
  user_dataset_id: string;
  item_dataset_id: string;
  event_dataset_id: string;
  algorithm_id: string;
  account_id: string;
}

/** What users did: all items of their kind but the one with their own number. */
export function tasteEvents(): ToyEvent[] {
  const events: ToyEvent[] = [];
  for (let user = 0; user < USERS; user++) {
    for (let item = user % KINDS; item < ITEMS; item += KINDS) {
      if (item !== user) events.push({ user: `u${user}`, item: `i${item}` });
    }
  }
  return events;
}

export async function createTasteProject(api: ApiCaller): Promise<TasteProject> {
  const { user_dataset_id } = await api.ok('POST', '/create-user-dataset', { name: 'users' });
  const { item_dataset_id } = await api.ok('POST', '/create-item-dataset', { name: 'items' });
  const { event_dataset_id } = await api.ok('POST', '/create-event-dataset', { name: 'events' });
  const items = Array.from({ length: ITEMS }, (_, n) => ({
    item_id: `i${n}`,
    attributes: { title: `Film ${n}`, genre: [GENRES[n % KINDS]], price: n },
  }));
  await api.ok('POST', '/upsert-dataset-items', { item_dataset_id, items });
  const events = tasteEvents().map(({ user, item }, n) => ({
    event_id: `e${n}`,
    user_id: user,
    item_id: item,
    ts: 1_700_000_000_000 + n * 1000,
    event_type: 'buy',
  }));
  for (let from = 0; from < events.length; from += 1000) {
    await api.ok('POST', '/upsert-dataset-events', { event_dataset_id, events: events.slice(from, from + 1000) });
  }
  const { project_id, serving_uri } = await api.ok('POST', '/create-project', {
    name: 'films',
    project_type: 'RECOMMEND_ITEMS_TO_USER',
    user_dataset_id,
    item_dataset_id,
    event_dataset_id,
    target_event_type: 'buy',
  });
  const { algorithm_id } = await api.ok('POST', '/create-algorithm', { project_id, name: 'a', algorithm_type: 'G1' });
  const { account_id } = await api.ok('GET', '/get-account');
  return { project_id, serving_uri, user_dataset_id, item_dataset_id, event_dataset_id, algorithm_id, account_id };
}

/** A model of what the users did. */
export function tasteModel(change: Partial<G1Model> = {}): G1Model {
  return toyModel(tasteEvents(), change);
}

/** A model that turns the taste round: what `tasteModel` likes best comes last. */
export function turnedModel(): G1Model {
  return tasteModel({ blend: { weights: [-1, 0.001], transform: { kind: 'linear' } } });
}

/** Polls the job until it has ended and returns it. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into responses freely.
export async function ended(api: ApiCaller, projectId: string, jobId: string): Promise<any> {
  for (;;) {
    const job = await api.ok('GET', '/get-job', { project_id: projectId, job_id: jobId });
    if (!['PENDING', 'RUNNING'].includes(job.job_status)) return job;
    await sleep(50);
  }
}

/** Submits the job, waits until it has succeeded and returns it. */
export async function succeed(api: ApiCaller, path: string, body: { project_id: string } & Record<string, unknown>) {
  const { job_id } = await api.ok('POST', path, body);
  const job = await ended(api, body.project_id, job_id);
  if (job.job_status !== 'SUCCEED') throw new Error(`${path} ended ${job.job_status}: ${JSON.stringify(job)}`);
  return job;
}
