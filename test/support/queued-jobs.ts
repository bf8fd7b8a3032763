// Jobs, models and deployments of made projects, for the contracts of their stores. Every test has its own project, and claims
// are by type alone: so no test may leave a job of its type pending.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Job, JobType } from '../../src/domain/job.ts';
import type { Model } from '../../src/domain/model.ts';
import type { ModelFigures } from '../../src/domain/model-figures.ts';
import type { Database } from '../../src/store/database.ts';
import type { DeploymentStore } from '../../src/store/deployment-store.ts';
import type { ClaimedJob, JobQueue } from '../../src/store/job-queue.ts';
import type { JobStore } from '../../src/store/job-store.ts';
import type { ModelStore } from '../../src/store/model-store.ts';
import type { NodeStore } from '../../src/store/node-store.ts';
import type { AccountStore, DatasetStore } from '../../src/store/registry-store.ts';
import type { Store } from '../../src/store/store.ts';
import type { WebhookStore } from '../../src/store/webhook-store.ts';
import { newId, newJob } from './new-ids.ts';
import { type Dialect, openTestStore } from './test-database.ts';

export const ACCOUNT = 'acc_1';
export const MAX_QPS = 50;
export const NOW = 1_700_000_000_000;
export const PAGE = { page_size: 1000, page_token: null };
export const REASON = { code: 'UNEXPECTED_ERROR', message: 'It broke.' };
export const RETRY = { reason: REASON, backOffMs: 0, nowMs: NOW };

export class QueuedJobs {
  readonly database: Database;
  readonly close: () => Promise<void>;
  readonly accounts: AccountStore;
  readonly datasets: DatasetStore;
  readonly jobs: JobStore;
  readonly queue: JobQueue;
  readonly models: ModelStore;
  readonly deployments: DeploymentStore;
  readonly nodes: NodeStore;
  readonly webhooks: WebhookStore;

  private constructor(store: Store, close: () => Promise<void>) {
    this.close = close;
    this.database = store.database;
    this.accounts = store.accounts;
    this.datasets = store.datasets;
    this.jobs = store.jobs;
    this.queue = store.queue;
    this.models = store.models;
    this.deployments = store.deployments;
    this.nodes = store.nodes;
    this.webhooks = store.webhooks;
  }

  static async open(dialect: Dialect): Promise<QueuedJobs> {
    const { store, close } = await openTestStore(dialect);
    const made = new QueuedJobs(store, close);
    await made.addAccount(ACCOUNT);
    return made;
  }

  async addAccount(accountId: string): Promise<void> {
    await this.database.atomic([
      {
        sql: `INSERT INTO account (account_id, name, max_event_shards, max_training_hours, max_qps, disabled, created_ts,
                training_hours) VALUES (?, ?, 1, 1, ?, 0, 1, 0)`,
        params: [accountId, accountId, MAX_QPS],
      },
    ]);
  }

  async submit(
    jobType: JobType,
    projectId = newId('project'),
    accountId = ACCOUNT,
    job_data: Job['job_data'] = { given: true },
  ): Promise<Job> {
    const given = { account_id: accountId, project_id: projectId, job_type: jobType, job_data };
    const job = newJob(given, NOW);
    await this.database.atomic([
      {
        sql: `INSERT INTO project (project_id, account_id, name, project_type, user_dataset_id, item_dataset_id,
                event_dataset_id, target_event_type, created_ts) VALUES (?, ?, 'p', 'RECOMMEND_ITEMS_TO_USER', '', '', '', '', 1)
              ON CONFLICT DO NOTHING`,
        params: [projectId, accountId],
      },
    ]);
    assert.equal(await this.jobs.submit(job), 'submitted');
    return job;
  }

  async claim(jobType: JobType, nowMs = NOW): Promise<ClaimedJob> {
    const claimed = await this.queue.claim('worker', [jobType], nowMs);
    assert.ok(claimed, 'there is a job to claim');
    return claimed;
  }

  async read(job: Job): Promise<Job> {
    const found = await this.jobs.get(ACCOUNT, job.project_id, job.job_id);
    assert.ok(found);
    return found;
  }

  modelOf(job: Job): Model {
    return {
      account_id: ACCOUNT,
      project_id: job.project_id,
      model_id: newId('model'),
      name: job.name,
      algorithm_type: 'G1',
      algorithm_parameters: { seed: 1 },
      created_ts: NOW,
      job_id: job.job_id,
      artifact_key: `models/${randomUUID()}`,
      metrics: { cutoff: 10, users: 3 } as Partial<ModelFigures> as ModelFigures,
      training: { events: 3 },
    };
  }

  async trained(projectId: string): Promise<Model> {
    await this.submit('TRAINING', projectId);
    const { job, lease } = await this.claim('TRAINING');
    const model = this.modelOf(job);
    assert.ok(await this.queue.finish(lease, { result: { model_id: model.model_id }, model }, NOW));
    return model;
  }

  /** A deployment that is announced and not yet switched to. */
  async announced(generator: Model, ranker: Model | null = null, qps: number | null = 5) {
    await this.submit('DEPLOYMENT', generator.project_id);
    const { job, lease } = await this.claim('DEPLOYMENT');
    const candidate = await this.deployments.announce(lease, {
      account_id: ACCOUNT,
      project_id: generator.project_id,
      generator_model_id: generator.model_id,
      ranker_model_id: ranker?.model_id ?? null,
      qps,
      job_id: job.job_id,
      created_ts: NOW,
    });
    assert.ok(typeof candidate === 'object');
    return { job, lease, candidate };
  }
}
