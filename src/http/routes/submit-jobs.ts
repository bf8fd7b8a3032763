// Submits jobs. Invalid requests are rejected here, so that a job only fails because of its data or its run.

import { destinationOf, sourceOf } from '../../domain/destination.ts';
import type { IdSource } from '../../domain/ids.ts';
import { type Job, MAX_PENDING_JOBS, newJob } from '../../domain/job.ts';
import { algorithmNotFound, modelNotFound, projectNotFound } from '../../domain/not-found.ts';
import { AppError, invalidField } from '../../errors.ts';
import type { JobStore } from '../../store/job-store.ts';
import type { Store } from '../../store/store.ts';
import { exportJobData } from '../check-export-job.ts';
import { checkClusteringParameters, checkQueries } from '../check-insight-request.ts';
import { recommendationJobData } from '../check-recommendation-job.ts';
import { projectById } from '../find-project.ts';
import { defineRoute, type Route } from '../route.ts';
import { EXAMPLE_ALGORITHM_ID, EXAMPLE_JOB_ID, EXAMPLE_MODEL_ID, EXAMPLE_PROJECT_ID } from '../schemas/examples.ts';
import { SubmitClusteringJobBody, SubmitQueryingJobBody } from '../schemas/insight.ts';
import {
  SubmitDeploymentJobBody,
  SubmitExportJobBody,
  SubmitImportJobBody,
  SubmitRecommendationJobBody,
  SubmitTrainingJobBody,
  SubmittedJob,
} from '../schemas/jobs.ts';

type SubmitStores = Pick<
  Store,
  'accounts' | 'projects' | 'algorithms' | 'models' | 'jobs' | 'deployments' | 'placements'
>;

const tag = 'Jobs';
const RETRY_SUBMIT_SEC = 10;

/** Places in S3 that files of jobs may be written to and read from. */
export interface JobPlaces {
  readonly exportDestinations: readonly string[];
  readonly importSources: readonly string[];
}

export function submitJobRoutes(store: SubmitStores, places: JobPlaces): Route[] {
  const submit = (given: Parameters<typeof newJob>[0], source: IdSource) =>
    submitJob(store.jobs, newJob(given, source));

  const requireProject = (accountId: string, projectId: string) => projectById(store.projects, accountId, projectId);

  const requireModel = async (accountId: string, projectId: string, modelId: string, field?: string): Promise<void> => {
    await requireProject(accountId, projectId);
    if ((await store.models.get(accountId, projectId, modelId)) === null)
      throw modelNotFound(projectId, modelId, field);
  };

  return [
    defineRoute({
      method: 'POST',
      path: '/submit-training-job',
      tag,
      summary: 'Train a model with an algorithm',
      body: SubmitTrainingJobBody,
      response: SubmittedJob,
      errors: ['PROJECT_NOT_FOUND', 'ALGORITHM_NOT_FOUND', 'PLAN_LIMIT_EXCEEDED', 'TOO_MANY_JOBS'],
      examples: {
        request: { project_id: EXAMPLE_PROJECT_ID, algorithm_id: EXAMPLE_ALGORITHM_ID, name: 'nightly' },
        response: { job_id: EXAMPLE_JOB_ID },
      },
      handler: async ({ body, caller, runtime }) => {
        await requireProject(caller.accountId, body.project_id);
        const algorithm = await store.algorithms.get(caller.accountId, body.project_id, body.algorithm_id);
        if (algorithm === null) throw algorithmNotFound(body.project_id, body.algorithm_id);
        await requireTrainingHours(store, caller.accountId);
        const { algorithm_id, algorithm_type, algorithm_parameters } = algorithm;
        return submit(
          {
            account_id: caller.accountId,
            project_id: body.project_id,
            job_type: 'TRAINING',
            name: body.name,
            job_data: { algorithm_id, algorithm_type, algorithm_parameters },
          },
          runtime,
        );
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/submit-deployment-job',
      tag,
      summary: 'Deploy a model, or a generator and a ranker',
      description:
        'The job succeeds when every API node serves the new model or models. The previous deployment serves until then; no call fails during the switch.',
      body: SubmitDeploymentJobBody,
      response: SubmittedJob,
      errors: ['PROJECT_NOT_FOUND', 'MODEL_NOT_FOUND', 'PLAN_LIMIT_EXCEEDED', 'TOO_MANY_JOBS'],
      examples: {
        request: {
          project_id: EXAMPLE_PROJECT_ID,
          name: 'to production',
          generator_model_id: EXAMPLE_MODEL_ID,
          qps: 100,
        },
        response: { job_id: EXAMPLE_JOB_ID },
      },
      handler: async ({ body, caller, runtime }) => {
        const { project_id, generator_model_id, ranker_model_id = null, qps = null } = body;
        await requireModel(caller.accountId, project_id, generator_model_id, 'generator_model_id');
        if (ranker_model_id !== null)
          await requireModel(caller.accountId, project_id, ranker_model_id, 'ranker_model_id');
        const account = await store.accounts.get(caller.accountId);
        if (account !== null && qps !== null && qps > account.plan.max_qps) {
          throw new AppError(
            'PLAN_LIMIT_EXCEEDED',
            `qps is ${qps}, but the account's plan allows at most ${account.plan.max_qps}.`,
          );
        }
        return submit(
          {
            account_id: caller.accountId,
            project_id,
            job_type: 'DEPLOYMENT',
            name: body.name,
            job_data: { generator_model_id, ranker_model_id, qps },
          },
          runtime,
        );
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/submit-querying-job',
      tag,
      summary: 'Find users who prefer an attribute value, or how popular it is',
      body: SubmitQueryingJobBody,
      response: SubmittedJob,
      errors: ['PROJECT_NOT_FOUND', 'MODEL_NOT_FOUND', 'TOO_MANY_JOBS'],
      examples: {
        request: {
          project_id: EXAMPLE_PROJECT_ID,
          model_id: EXAMPLE_MODEL_ID,
          query_type: 'user_distribution',
          queries: [{ attribute: 'genre', value: 'Drama', bins: 20 }],
        },
        response: { job_id: EXAMPLE_JOB_ID },
      },
      handler: async ({ body, caller, runtime }) => {
        const checked = checkQueries(body.query_type, body.queries);
        await requireModel(caller.accountId, body.project_id, body.model_id);
        return submit(
          {
            account_id: caller.accountId,
            project_id: body.project_id,
            job_type: 'QUERYING',
            name: body.name,
            job_data: { model_id: body.model_id, ...checked },
          },
          runtime,
        );
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/submit-clustering-job',
      tag,
      summary: 'Group users of similar taste',
      body: SubmitClusteringJobBody,
      response: SubmittedJob,
      errors: ['PROJECT_NOT_FOUND', 'MODEL_NOT_FOUND', 'TOO_MANY_JOBS'],
      examples: {
        request: {
          project_id: EXAMPLE_PROJECT_ID,
          model_id: EXAMPLE_MODEL_ID,
          cluster_type: 'user',
          parameters: { min_user_num: 50 },
        },
        response: { job_id: EXAMPLE_JOB_ID },
      },
      handler: async ({ body, caller, runtime }) => {
        const parameters = checkClusteringParameters(body.parameters ?? {});
        await requireModel(caller.accountId, body.project_id, body.model_id);
        return submit(
          {
            account_id: caller.accountId,
            project_id: body.project_id,
            job_type: 'CLUSTERING',
            name: body.name,
            job_data: { model_id: body.model_id, cluster_type: body.cluster_type, parameters },
          },
          runtime,
        );
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/submit-recommendation-job',
      tag,
      summary: 'Recommend items to many users at once, as a file',
      description:
        'Each user gets the list that /recommend-items-to-user would return. The job result has `download_url`, good for 24 hours.',
      body: SubmitRecommendationJobBody,
      response: SubmittedJob,
      errors: [
        ...(['PROJECT_NOT_FOUND', 'MODEL_NOT_FOUND', 'NO_MODEL_DEPLOYED', 'JOB_NOT_FOUND'] as const),
        'PLACEMENT_NOT_FOUND',
        ...(['INVALID_FILTER', 'DESTINATION_NOT_ALLOWED', 'TOO_MANY_JOBS'] as const),
      ],
      examples: {
        request: {
          project_id: EXAMPLE_PROJECT_ID,
          users: { all: true },
          limit: 20,
          attributes: ['title'],
          format: 'csv',
        },
        response: { job_id: EXAMPLE_JOB_ID },
      },
      handler: async ({ body, caller, runtime }) => {
        requireAllowed(body.destination, places.exportDestinations);
        const job_data = await recommendationJobData(store, caller.accountId, body, runtime.nowMs());
        const of = { account_id: caller.accountId, project_id: body.project_id, name: body.name };
        return submit({ ...of, job_type: 'RECOMMENDATION', job_data }, runtime);
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/submit-export-job',
      tag,
      summary: 'Export a dataset, the vectors of a model or a report as a file',
      description:
        'Users, items and events come with the fields of the upsert calls: the file can be imported again. The job result has `download_url`, good for 24 hours.',
      body: SubmitExportJobBody,
      response: SubmittedJob,
      errors: ['PROJECT_NOT_FOUND', 'MODEL_NOT_FOUND', 'NO_MODEL_DEPLOYED', 'DESTINATION_NOT_ALLOWED', 'TOO_MANY_JOBS'],
      examples: {
        request: { project_id: EXAMPLE_PROJECT_ID, what: 'events', format: 'parquet' },
        response: { job_id: EXAMPLE_JOB_ID },
      },
      handler: async ({ body, caller, runtime }) => {
        requireAllowed(body.destination, places.exportDestinations);
        const job_data = await exportJobData(store, caller.accountId, body);
        const of = { account_id: caller.accountId, project_id: body.project_id, name: body.name };
        return submit({ ...of, job_type: 'EXPORT', job_data }, runtime);
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/submit-import-job',
      tag,
      summary: 'Import a file in S3 into a dataset of a project',
      description:
        'Rows become users, items or events of the project, checked as the upsert calls check them. The job result has `kind`, `dataset_id`, `rows`, `stored`, `skipped`, `warnings`, `notes` (what was guessed) and `skipped_rows`, the first 100 with the reason. Importing a file twice stores its records once.',
      body: SubmitImportJobBody,
      response: SubmittedJob,
      errors: ['PROJECT_NOT_FOUND', 'SOURCE_NOT_ALLOWED', 'TOO_MANY_JOBS'],
      examples: {
        request: { project_id: EXAMPLE_PROJECT_ID, source: 's3://lake/shop/orders.parquet', map: { user_id: 'buyer' } },
        response: { job_id: EXAMPLE_JOB_ID },
      },
      handler: async ({ body, caller, runtime }) => {
        const { project_id, name, ...job_data } = body;
        await requireProject(caller.accountId, project_id);
        requireReadable(body.source, places.importSources);
        requireEncoding(body.encoding);
        return submit({ account_id: caller.accountId, project_id, name, job_type: 'IMPORT', job_data }, runtime);
      },
    }),
  ];
}

export async function submitJob(jobs: JobStore, job: Job): Promise<{ job_id: string }> {
  const outcome = await jobs.submit(job);
  return outcome === 'submitted' ? { job_id: job.job_id } : refuse(job, outcome);
}

/** Returns the existing job if the same job is submitted already and has not ended. */
export async function submitJobOnce(jobs: JobStore, job: Job): Promise<{ job_id: string }> {
  const outcome = await jobs.submitOnce(job);
  return typeof outcome === 'string' ? refuse(job, outcome) : outcome;
}

function refuse(job: Job, why: 'missing-project' | 'too-many'): never {
  throw why === 'missing-project' ? projectNotFound(job.project_id) : tooManyJobs();
}

function requireAllowed(address: string | undefined, allowed: readonly string[]): void {
  if (address === undefined || destinationOf(address, allowed) !== null) return;
  const detail =
    allowed.length === 0
      ? 'This service writes to no destinations: KINDRED_EXPORT_DESTINATIONS is not set. Leave destination out and download the file.'
      : `${address} is not a file below a place this service may write to. Names have lowercase letters, digits and _ . - /.`;
  throw new AppError('DESTINATION_NOT_ALLOWED', detail, {
    errors: [{ pointer: '/destination', message: 'is not allowed' }],
  });
}

function requireReadable(address: string, allowed: readonly string[]): void {
  if (sourceOf(address, allowed) !== null) return;
  const detail =
    allowed.length === 0
      ? 'This service reads from no sources: KINDRED_IMPORT_SOURCES is not set. Use kindred import, which sends the file.'
      : `${address} is not a file below a place this service may read from (KINDRED_IMPORT_SOURCES).`;
  throw new AppError('SOURCE_NOT_ALLOWED', detail, { errors: [{ pointer: '/source', message: 'is not allowed' }] });
}

function requireEncoding(name: string | undefined): void {
  try {
    new TextDecoder(name);
  } catch {
    const message = 'is not a known text encoding, such as utf-8, latin1 or utf-16le';
    throw invalidField('/encoding', message);
  }
}

function tooManyJobs(): AppError {
  const detail = `${MAX_PENDING_JOBS} jobs of the account are waiting. Submit this job again when some have ended, or cancel some.`;
  return new AppError('TOO_MANY_JOBS', detail, { retryAfterSec: RETRY_SUBMIT_SEC });
}

async function requireTrainingHours(store: SubmitStores, accountId: string): Promise<void> {
  const account = await store.accounts.get(accountId);
  if (account === null || account.training_hours < account.plan.max_training_hours) return;
  throw new AppError(
    'PLAN_LIMIT_EXCEEDED',
    `The account has used ${account.training_hours.toFixed(2)} of the ${account.plan.max_training_hours} training hours of its plan. Raise the plan with kindred account update.`,
  );
}
