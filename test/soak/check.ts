// The checker: when all is quiet again, holds what the clients were told against what the store has.

import { OrphanSweeper } from '../../src/jobs/sweep-orphans.ts';
import { openBlobStore } from '../../src/store/blob/open-blob-store.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import type { Cluster } from '../support/cluster.ts';
import type { ApiCaller } from '../support/service.ts';
import type { TasteProject } from '../support/taste-project.ts';
import type { Ledger } from './ledger.ts';

export interface CheckParts {
  cluster: Cluster;
  api: ApiCaller;
  project: TasteProject;
  ledger: Ledger;
  /** events the dataset held before the clients began */
  eventsBefore: number;
}

/** Returns what does not hold, in words; an empty list if all does. */
export async function whatIsWrong({ cluster, api, project, ledger, eventsBefore }: CheckParts): Promise<string[]> {
  const wrong = [...ledger.complaints];
  const { event_dataset_id, project_id } = project;
  const store = await openStore(cluster.stores);
  try {
    const stored = await storedEventIds(store, event_dataset_id);
    for (const id of ledger.present.keys()) if (!stored.has(id)) wrong.push(`acknowledged event ${id} is lost`);
    for (const id of ledger.deleted) if (stored.has(id)) wrong.push(`deleted event ${id} is there`);
    const dataset = await api.ok('GET', '/get-event-dataset', { event_dataset_id });
    const expected = eventsBefore + ledger.present.size;
    if (dataset.num_records !== expected)
      wrong.push(`the dataset counts ${dataset.num_records} events, not ${expected}`);
    let scanned = 0;
    for await (const block of store.events.scan(event_dataset_id, { from: 0, to: dataset.num_shards }))
      scanned += block.length;
    if (scanned !== expected) wrong.push(`a scan finds ${scanned} events, not ${expected}`);

    wrong.push(...(await wrongJobs(api, project_id, ledger)));

    const blobs = openBlobStore(cluster.stores);
    // Whatever attempts that were killed left behind goes with one sweep; what models need stays.
    const sweeper = new OrphanSweeper(store.models, blobs, 0);
    await sweeper.sweep(0);
    const { models } = await api.ok('GET', '/list-models', { project_id });
    const files: string[] = [];
    for await (const { key } of blobs.list('models/')) files.push(key);
    if (files.length !== models.length) wrong.push(`${models.length} models have ${files.length} files`);
  } finally {
    await store.close();
  }
  return wrong;
}

async function storedEventIds(store: Store, datasetId: string): Promise<Set<string>> {
  const ids = new Set<string>();
  let page_token: string | null = null;
  do {
    const page = await store.events.list(datasetId, { page_size: 1000, page_token });
    for (const { event_id } of page.entries) ids.add(event_id);
    page_token = page.next_page_token;
  } while (page_token !== null);
  return ids;
}

async function wrongJobs(api: ApiCaller, project_id: string, ledger: Ledger): Promise<string[]> {
  const wrong: string[] = [];
  const { jobs } = await api.ok('GET', '/list-jobs', { project_id });
  const { models } = await api.ok('GET', '/list-models', { project_id });
  const modelIds = new Set(models.map(({ model_id }: { model_id: string }) => model_id));
  const published = new Map<string, string>();
  for (const job of jobs) {
    if (['PENDING', 'RUNNING'].includes(job.job_status)) wrong.push(`job ${job.job_id} has not ended`);
    if (job.retry_count > 3) wrong.push(`job ${job.job_id} was retried ${job.retry_count} times`);
    if (job.job_type !== 'TRAINING' || job.job_status !== 'SUCCEED') continue;
    const { model_id } = job.job_result;
    if (published.has(model_id)) wrong.push(`model ${model_id} was published by two jobs`);
    published.set(model_id, job.job_id);
    if (!modelIds.has(model_id) && !ledger.modelsDeleted.has(model_id)) wrong.push(`model ${model_id} is lost`);
  }
  for (const id of modelIds)
    if (!published.has(id as string)) wrong.push(`model ${id} belongs to no job that succeeded`);
  return wrong;
}
