// An account with one of everything, and every read that names an account.
import assert from 'node:assert/strict';
import type { Experiment } from '../../src/domain/experiment.ts';
import type { Job, JobType } from '../../src/domain/job.ts';
import type { Model } from '../../src/domain/model.ts';
import type { ConsoleSession } from '../../src/domain/person.ts';
import type { PlacementVersion } from '../../src/domain/placement.ts';
import type { Project } from '../../src/domain/project.ts';
import type { Webhook } from '../../src/domain/webhook.ts';
import type { AutomationState } from '../../src/store/automation-store.ts';
import type { Page } from '../../src/store/page.ts';
import type { Store } from '../../src/store/store.ts';
import { newCredentials, newId, newJob } from './new-ids.ts';
import { makeAccount, makeProject } from './store-fixtures.ts';

/** With pages of one, lists are read to their second page. */
const PAGE_SIZES = [1, 1000];
const NOW = Date.now();
export const HOME = 'home';
export const DATASET_KINDS = ['user', 'item', 'event'] as const;

export const STATE: AutomationState = {
  revision: 0,
  model_id: null,
  since_ts: 5,
  known_events: 7,
  training_job_id: null,
  failures: 0,
  not_before_ts: 0,
  message: null,
};

export const versionOf = (version: number): PlacementVersion => ({
  version,
  change: version === 1 ? 'created' : 'updated',
  changed_ts: version,
  changed_by: { key_id: 'key_1', key_name: 'shop' },
  definition: { kind: 'for_you', defaults: { limit: version }, rules: [], fallback: [], fatigue: null },
});

export interface FilledAccount {
  accountId: string;
  keyId: string;
  /** a project with nothing in it */
  empty: Project;
  project: Project;
  projectId: string;
  algorithmId: string;
  experiment: Experiment;
  webhook: Webhook;
  session: ConsoleSession;
  /** the first is deployed */
  models: Model[];
  /** not yet taken */
  waiting: Job;
}

export async function fillAccount(store: Store): Promise<FilledAccount> {
  const accountId = await makeAccount(store);
  const { key } = newCredentials(accountId, { name: 'second', scopes: ['*'] });
  assert.equal(await store.accounts.addKey(key), 'added');
  const empty = await makeProject(store, accountId);
  const project = await makeProject(store, accountId);
  const projectId = project.project_id;
  const owner = { account_id: accountId, project_id: projectId };
  const automation = { retrain: { every_hours: 24 }, deploy: 'always' as const, keep_models: 1 };
  await store.projects.update(accountId, projectId, { automation });
  const algorithm_ids = [newId('algorithm'), newId('algorithm')];
  for (const algorithm_id of algorithm_ids) {
    const algorithm = { ...owner, algorithm_id, name: 'a', algorithm_type: 'G1' as const, algorithm_parameters: {} };
    assert.equal(await store.algorithms.create({ ...algorithm, created_ts: NOW }), 'created');
  }
  for (const name of [HOME, 'cart']) {
    await store.placements.create({ ...owner, name, created_ts: NOW, current: versionOf(1) });
    await store.placements.change({ accountId, projectId, name }, versionOf(2));
  }
  const experimentOf = (placement: string): Experiment => ({
    ...owner,
    experiment_id: newId('experiment'),
    name: 'test',
    placement,
    metric: 'click',
    min_days: 7,
    variants: ['today', 'new'].map((name) => ({ name, share: 1, overrides: {} })),
    status: 'RUNNING',
    created_ts: NOW,
    stopped_ts: null,
    promoted: null,
    decided: null,
  });
  const experiments = [experimentOf('cart'), experimentOf(HOME)];
  for (const experiment of experiments) assert.equal(typeof (await store.experiments.create(experiment)), 'number');
  const webhook: Webhook = {
    account_id: accountId,
    webhook_id: newId('webhook'),
    url: 'https://example.com/',
    events: ['job.failed', 'model.rejected', 'experiment.decided'],
    created_ts: NOW,
    last_attempt: null,
  };
  assert.equal(await store.webhooks.create(webhook, 1), 'created');
  const models = [await train(store, project), await train(store, project), await train(store, project)];
  for (const model of [models[2], models[0]]) await deploy(store, model);
  const decision = { ...owner, decision_id: newId('decision'), decided_ts: NOW, decision: 'reject' as const };
  const said = { reason: 'It is.', model_id: models[1].model_id, deployment_job_id: null, comparison: null };
  assert.ok(await store.automation.save(owner, STATE));
  assert.ok(
    await store.automation.decide({
      decision: { ...decision, ...said, training_job_id: models[1].job_id },
      deployedModelId: models[0].model_id,
      deployment: null,
      state: { ...STATE, revision: 1 },
    }),
  );
  await store.health.save(owner, {
    checked_ts: NOW,
    took_ms: 1,
    events: 0,
    users: 0,
    items: 0,
    item_records: 0,
    users_with_one_event: 0,
    first_ts: null,
    last_ts: null,
    types: [],
    hours: null,
    findings: [],
  });
  for (const summary of ['one', 'other']) {
    const actor = { actor_kind: 'key' as const, actor_id: key.key_id, actor_name: null };
    const change = { operation: '/projects/update', object_id: projectId, summary, calls: 1, records: 0 };
    const entry = { entry_id: newId('audit'), account_id: accountId, created_ts: NOW, last_ts: NOW };
    await store.audit.append([{ ...entry, ...actor, ...change, request_id: null }]);
  }
  const session: ConsoleSession = {
    session_id: newId('session'),
    id_hash: newId('session'),
    account_id: accountId,
    person_id: 'per_1',
    person_name: 'ann',
    role: 'editor',
    rules_hash: 'rules',
    user_agent: 'Mozilla/5.0',
    created_ts: NOW,
    seen_ts: NOW,
    expires_ts: NOW + 3_600_000,
  };
  await store.sessions.open(session);
  const waiting = await submit(store, project, 'QUERYING');
  return {
    accountId,
    keyId: key.key_id,
    empty,
    project,
    projectId,
    algorithmId: algorithm_ids[0],
    experiment: experiments[1],
    webhook,
    session,
    models,
    waiting,
  };
}

export async function submit(
  store: Store,
  owner: Pick<Project, 'account_id' | 'project_id'>,
  job_type: JobType,
): Promise<Job> {
  const { account_id, project_id } = owner;
  const job = newJob({ account_id, project_id, job_type, job_data: {} }, NOW);
  assert.equal(await store.jobs.submit(job), 'submitted');
  return job;
}

export async function train(store: Store, project: Project): Promise<Model> {
  const { account_id, project_id } = project;
  await submit(store, project, 'TRAINING');
  const { job, lease } = (await store.queue.claim('worker', ['TRAINING'], NOW))!;
  const model: Model = {
    account_id,
    project_id,
    model_id: newId('model'),
    name: job.name,
    algorithm_type: 'G1',
    algorithm_parameters: {},
    created_ts: NOW,
    job_id: job.job_id,
    artifact_key: `models/${job.job_id}`,
    metrics: null,
    training: {},
  };
  assert.ok(await store.queue.finish(lease, { result: {}, model }, NOW));
  return model;
}

export async function deploy(store: Store, { account_id, project_id, model_id }: Model): Promise<void> {
  await submit(store, { account_id, project_id }, 'DEPLOYMENT');
  const { job, lease } = (await store.queue.claim('worker', ['DEPLOYMENT'], NOW))!;
  const candidate = await store.deployments.announce(lease, {
    account_id,
    project_id,
    generator_model_id: model_id,
    ranker_model_id: null,
    qps: 5,
    job_id: job.job_id,
    created_ts: NOW,
  });
  assert.ok(typeof candidate === 'object');
  assert.ok(await store.deployments.activate(lease, candidate, NOW));
  assert.ok(await store.queue.finish(lease, { result: {} }, NOW));
}

/** What tells of others must not be in a page, nor in whether there is a next one. */
const shown = <T>({ entries, next_page_token: next }: Page<T>): (T | string)[] => [
  ...entries,
  ...(next === null ? [] : [next]),
];

/** What an account gets when it names what is in `of`. Each value is empty or null where it may see nothing. */
export async function readsOf(store: Store, accountId: string, of: FilledAccount): Promise<Record<string, unknown>> {
  const { projectId, project, keyId, algorithmId, experiment, models, waiting } = of;
  const placement = { accountId, projectId, name: HOME };
  const datasets = DATASET_KINDS.map((kind) => ({ kind, id: project[`${kind}_dataset_id`] }));
  const named: Record<string, unknown> = {
    key: await store.accounts.getKey(accountId, keyId),
    project: await store.projects.get(accountId, projectId),
    algorithm: await store.algorithms.get(accountId, projectId, algorithmId),
    placement: await store.placements.get(placement),
    version: await store.placements.version(placement, 1),
    experiment: await store.experiments.get(accountId, projectId, experiment.experiment_id),
    'running experiment': await store.experiments.running(placement),
    deployment: await store.deployments.active(accountId, projectId),
    model: await store.models.get(accountId, projectId, models[0].model_id),
    job: await store.jobs.get(accountId, projectId, waiting.job_id),
    automation: await store.automation.get(accountId, projectId),
    'earlier deployment': await store.automation.earlierDeployment(accountId, projectId),
    'surplus models': await store.automation.surplusModels(accountId, projectId, 1),
    health: await store.health.get(accountId, projectId),
  };
  for (const { kind, id } of datasets) named[kind] = await store.datasets.get(accountId, kind, id);
  for (const page_size of PAGE_SIZES) {
    const page = { page_size, page_token: null };
    const lists = {
      algorithms: await store.algorithms.list(accountId, projectId, page),
      placements: await store.placements.list(accountId, projectId, page),
      versions: await store.placements.versions(placement, page),
      experiments: await store.experiments.list(accountId, projectId, undefined, page),
      'experiments of a placement': await store.experiments.list(accountId, projectId, HOME, page),
      models: await store.models.list(accountId, projectId, page),
      'jobs of a project': await store.jobs.list(accountId, { project_id: projectId }, page),
      'jobs of a kind': await store.jobs.list(
        accountId,
        { project_id: projectId, job_type: 'QUERYING', job_status: 'PENDING' },
        page,
      ),
      decisions: await store.automation.decisions(accountId, projectId, page),
    };
    for (const [name, list] of Object.entries(lists)) named[`${name}, pages of ${page_size}`] = shown<unknown>(list);
  }
  return named;
}

/** What an account has without naming anything. */
export async function ownedBy(store: Store, accountId: string): Promise<Record<string, unknown>> {
  const owned: Record<string, unknown> = {
    account: await store.accounts.get(accountId),
    usage: await store.accounts.usage(accountId),
    keys: await store.accounts.listKeys(accountId),
    webhooks: await store.webhooks.list(accountId),
    sessions: await store.sessions.list(accountId),
  };
  for (const page_size of PAGE_SIZES) {
    const page = { page_size, page_token: null };
    for (const kind of DATASET_KINDS) {
      owned[`${kind} datasets, ${page_size}`] = shown<unknown>(await store.datasets.list(accountId, kind, page));
    }
    owned[`projects, ${page_size}`] = shown<unknown>(await store.projects.list(accountId, page));
    owned[`jobs, ${page_size}`] = shown<unknown>(await store.jobs.list(accountId, {}, page));
    owned[`jobs that wait, ${page_size}`] = shown<unknown>(
      await store.jobs.list(accountId, { job_status: 'PENDING' }, page),
    );
    owned[`audit, ${page_size}`] = shown<unknown>(await store.audit.list(accountId, {}, page));
  }
  return owned;
}
