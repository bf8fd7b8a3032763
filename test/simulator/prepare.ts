// What a run starts from: an account with a project, its items, and a model that is deployed.
import { DEFAULT_PLAN } from '../../src/domain/account.ts';
import { newCredentials } from '../../src/domain/credentials.ts';
import type { IdSource } from '../../src/domain/ids.ts';
import { newJob } from '../../src/domain/job.ts';
import type { Model } from '../../src/domain/model.ts';
import type { Project } from '../../src/domain/project.ts';
import type { Webhook } from '../../src/domain/webhook.ts';
import type { StoredDeployment } from '../../src/store/deployment-store.ts';
import type { Lease, Publication } from '../../src/store/job-queue.ts';
import { ACCOUNT, PLACEMENT, PROJECT } from './names.ts';
import { keepAsBeginning } from './shared-database.ts';
import type { SharedStore } from './shared-store.ts';
import { fileOf, ITEMS } from './simulated-models.ts';

const WANTED: Webhook = {
  account_id: ACCOUNT,
  webhook_id: 'whk_1',
  url: 'https://example.com',
  created_ts: 1,
  last_attempt: null,
  events: ['job.failed', 'model.trained', 'model.deployed'],
};

/** The same ids in every run. */
const sourceAt = (ms: number): IdSource => ({ nowMs: () => ms, randomBytes: (count) => new Uint8Array(count) });

let isKept = false;

/** Once per process: the database keeps it for later runs. */
export async function keepBeginning(shared: SharedStore): Promise<void> {
  if (isKept) return;
  await prepareDatabase(shared);
  keepAsBeginning();
  isKept = true;
}

export async function prepare(shared: SharedStore, isAutomated: boolean, hasWebhook = false): Promise<void> {
  await keepBeginning(shared);
  if (isAutomated) {
    const automation = { retrain: { every_hours: 0.0001 }, deploy: 'always', keep_models: 2 };
    shared.rows('UPDATE project SET automation = ?', JSON.stringify(automation));
  }
  if (hasWebhook) await shared.direct().webhooks.create(WANTED, 1);
  for (const item of ITEMS) shared.records.putItem(item);
  shared.files.add(fileOf('mdl_first'));
}

async function prepareDatabase(shared: SharedStore): Promise<void> {
  const store = shared.direct();
  const account = { account_id: ACCOUNT, name: 'test', plan: DEFAULT_PLAN, disabled: false, created_ts: 1 };
  const { key } = newCredentials(ACCOUNT, { name: 'test', scopes: ['*'] }, sourceAt(1));
  await store.accounts.create({ ...account, training_hours: 0, default_project_id: null }, key);
  const owned = { account_id: ACCOUNT, name: 'test', created_ts: 1 };
  for (const kind of ['user', 'item', 'event'] as const) {
    const dataset = { ...owned, dataset_id: `${kind}s`, kind, num_shards: 1, attribute_schema: null, num_records: 0 };
    await store.datasets.create(dataset);
  }
  const project: Project = {
    ...owned,
    project_id: PROJECT,
    project_type: 'RECOMMEND_ITEMS_TO_USER',
    target_event_type: 'buy',
    user_dataset_id: 'users',
    item_dataset_id: 'items',
    event_dataset_id: 'events',
  };
  await store.projects.create(project);
  await store.algorithms.create({
    ...owned,
    project_id: PROJECT,
    algorithm_id: 'alg_1',
    algorithm_type: 'G1',
    algorithm_parameters: {},
  });
  await store.placements.create({
    account_id: ACCOUNT,
    project_id: PROJECT,
    name: PLACEMENT,
    created_ts: 1,
    current: {
      version: 1,
      change: 'created',
      changed_ts: 1,
      changed_by: { key_id: key.key_id, key_name: key.name },
      definition: { kind: 'for_you', defaults: {}, rules: [], fallback: [], fatigue: null },
    },
  });
  await deployModel(shared, 'first', 1);
}

/** As if a training and a deployment had come before. Its jobs were submitted at `ms` and a millisecond later. */
export async function deployModel(shared: SharedStore, name: string, ms: number): Promise<void> {
  const store = shared.direct();
  const ended = async (job_type: 'TRAINING' | 'DEPLOYMENT', work: (lease: Lease) => Promise<Publication>) => {
    const given = { account_id: ACCOUNT, project_id: PROJECT, job_type, name, job_data: {} };
    await store.jobs.submit(newJob(given, sourceAt(job_type === 'TRAINING' ? ms : ms + 1)));
    const { lease } = (await store.queue.claim('first', [job_type], ms + 2))!;
    await store.queue.finish(lease, await work(lease), ms + 3);
  };
  await ended('TRAINING', async ({ jobId }) => {
    const model = modelOf(name, jobId);
    shared.files.add(model.artifact_key);
    return { result: { model_id: model.model_id }, model };
  });
  await ended('DEPLOYMENT', async (lease) => {
    const models = { generator_model_id: `mdl_${name}`, ranker_model_id: null };
    const wanted = { account_id: ACCOUNT, project_id: PROJECT, ...models, qps: 1_000_000, job_id: lease.jobId };
    const candidate = await store.deployments.announce(lease, { ...wanted, created_ts: 1 });
    await store.deployments.activate(lease, candidate as StoredDeployment, 1);
    return { result: {} };
  });
}

function modelOf(name: string, jobId: string): Model {
  return {
    account_id: ACCOUNT,
    project_id: PROJECT,
    model_id: `mdl_${name}`,
    name,
    algorithm_type: 'G1',
    algorithm_parameters: {},
    created_ts: 1,
    job_id: jobId,
    artifact_key: fileOf(`mdl_${name}`),
    metrics: null,
    training: {},
  };
}
