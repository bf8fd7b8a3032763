// The checker: when all is quiet again, holds what the clients were told against what the store has.

import { modelFiles } from '../../src/jobs/owned-files.ts';
import { OrphanSweeper } from '../../src/jobs/sweep-orphans.ts';
import { openBlobStore } from '../../src/store/blob/open-blob-store.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import type { Cluster } from '../support/cluster.ts';
import type { ApiCaller, CallResponse } from '../support/service.ts';
import type { TasteProject } from '../support/taste-project.ts';
import { wrongDecisions } from './clients/automation.ts';
import { isEnded } from './histories/job-history.ts';
import type { Ledger } from './ledger.ts';

export interface CheckParts {
  cluster: Cluster;
  api: ApiCaller;
  project: TasteProject;
  automatedId: string;
  ledger: Ledger;
  /** events the dataset held before the clients began */
  eventsBefore: number;
}

/** Returns what does not hold, in words; an empty list if all does. */
export async function whatIsWrong(parts: CheckParts): Promise<string[]> {
  const { cluster, api, project, automatedId, ledger } = parts;
  const wrong = [...ledger.complaints];
  const store = await openStore(cluster.stores);
  try {
    wrong.push(...(await wrongEvents(parts, store)));
    const main = await contentOf(api, project.project_id);
    const automated = await contentOf(api, automatedId);
    wrong.push(...wrongJobs(main), ...wrongJobs(automated));
    for (const { model_id } of main.trained) {
      if (!main.modelIds.has(model_id) && !ledger.modelsDeleted.has(model_id)) wrong.push(`model ${model_id} is lost`);
    }
    const { decisions } = await api.ok('GET', '/list-automation-decisions', { project_id: automatedId });
    wrong.push(...wrongDecisions(decisions, automated.jobs, [...automated.modelIds]));
    ledger.counts.decisions = decisions.length;

    const blobs = openBlobStore(cluster.stores);
    // Whatever attempts that were killed left behind goes with one sweep; what models need stays.
    const sweeper = new OrphanSweeper(modelFiles(store.models), blobs, 0);
    await sweeper.sweep(0);
    const files: string[] = [];
    for await (const { key } of blobs.list('models/')) files.push(key);
    const models = main.modelIds.size + automated.modelIds.size;
    if (files.length !== models) wrong.push(`${models} models have ${files.length} files`);
  } finally {
    await store.close();
  }
  return wrong;
}

async function wrongEvents({ api, project, ledger, eventsBefore }: CheckParts, store: Store): Promise<string[]> {
  const wrong: string[] = [];
  const { event_dataset_id } = project;
  const stored = await storedEvents(store, event_dataset_id);
  for (const [id, userId] of ledger.present) {
    const owner = stored.get(id);
    if (owner === undefined) wrong.push(`acknowledged event ${id} is lost`);
    else if (owner !== userId) wrong.push(`event ${id} belongs to ${owner}, not to ${userId}`);
  }
  for (const id of ledger.deleted) if (stored.has(id)) wrong.push(`deleted event ${id} is there`);
  const dataset = await api.ok('GET', '/get-event-dataset', { event_dataset_id });
  const expected = eventsBefore + ledger.present.size;
  if (dataset.num_records !== expected) wrong.push(`the dataset counts ${dataset.num_records} events, not ${expected}`);
  let scanned = 0;
  for await (const block of store.events.scan(event_dataset_id, { from: 0, to: dataset.num_shards }))
    scanned += block.length;
  if (scanned !== expected) wrong.push(`a scan finds ${scanned} events, not ${expected}`);
  return wrong;
}

/** event_id → user_id */
async function storedEvents(store: Store, datasetId: string): Promise<Map<string, string>> {
  const owners = new Map<string, string>();
  let page_token: string | null = null;
  do {
    const page = await store.events.list(datasetId, { page_size: 1000, page_token });
    for (const { event_id, user_id } of page.entries) owners.set(event_id, user_id);
    page_token = page.next_page_token;
  } while (page_token !== null);
  return owners;
}

interface Content {
  jobs: CallResponse['body'][];
  /** what trainings that succeeded have published */
  trained: { job_id: string; model_id: string }[];
  models: CallResponse['body'][];
  modelIds: Set<string>;
}

/** All jobs and models of a project: a page has more than a soak makes. */
async function contentOf(api: ApiCaller, project_id: string): Promise<Content> {
  const { jobs, next_page_token } = await api.ok('GET', '/list-jobs', { project_id });
  const { models } = await api.ok('GET', '/list-models', { project_id });
  if (next_page_token !== null) throw new Error('there are more jobs than one page shows');
  const trained = jobs
    .filter(({ job_type, job_status }: CallResponse['body']) => job_type === 'TRAINING' && job_status === 'SUCCEED')
    .map(({ job_id, job_result }: CallResponse['body']) => ({ job_id, model_id: job_result.model_id }));
  return { jobs, trained, models, modelIds: new Set(models.map((model: { model_id: string }) => model.model_id)) };
}

function wrongJobs({ jobs, trained, models }: Content): string[] {
  const wrong: string[] = [];
  for (const job of jobs) {
    if (!isEnded(job)) wrong.push(`job ${job.job_id} has not ended`);
    if (job.retry_count > 3) wrong.push(`job ${job.job_id} was retried ${job.retry_count} times`);
  }
  const publisher = new Map(trained.map(({ job_id, model_id }) => [model_id, job_id]));
  if (publisher.size < trained.length) wrong.push('a model was published by two jobs');
  // So a job that was cancelled or failed has published nothing.
  for (const { model_id, job_id } of models) {
    if (publisher.get(model_id) !== job_id) wrong.push(`model ${model_id} is of job ${job_id}, which did not succeed`);
  }
  return wrong;
}
