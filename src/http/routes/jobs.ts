// Submitting, reading, listing and cancelling jobs. A wrong request is refused here, so that a job only fails for what its data
// or its run shows.

import { Type } from 'typebox';
import { newId } from '../../domain/ids.ts';
import { JOB_STATUSES, JOB_TYPES, type Job, type JobType } from '../../domain/job.ts';
import { AppError } from '../../errors.ts';
import { checkClusteringParameters, checkQueries } from '../../insight/validate.ts';
import type { JobStore } from '../../store/job-store.ts';
import type { ModelStore } from '../../store/model-store.ts';
import type { Store } from '../../store/store.ts';
import { defineRoute, type Route } from '../route.ts';
import { closed, NextPageToken, oneOf, open, pageQuery, ServiceId, toPageRequest } from '../schemas/common.ts';
import { SubmitClusteringJobBody, SubmitQueryingJobBody } from '../schemas/insight.ts';
import { JobAnswer, SubmitDeploymentJobBody, SubmitTrainingJobBody, SubmittedJob } from '../schemas/jobs.ts';
import { algorithmNotFound, jobNotFound, modelNotFound, projectNotFound } from './not-found.ts';
import { findProject } from './projects.ts';

export interface JobRoutesParts {
  store: Pick<Store, 'projects' | 'algorithms' | 'accounts'>;
  jobs: JobStore;
  models: ModelStore;
  /** public address, without a trailing slash */
  baseUrl: () => string;
}

const tag = 'Jobs';
const JOB_ID = 'job_01k9zq4m2v8h3c7f5x1d0b6n9e';
const PROJECT_ID = 'prj_01k9zq4m2v8h3c7f5x1d0b6n9e';
const MODEL_ID = 'mdl_01k9zq4m2v8h3c7f5x1d0b6n9e';

export function jobRoutes({ store, jobs, models, baseUrl }: JobRoutesParts): Route[] {
  const submit = async (
    accountId: string,
    projectId: string,
    jobType: JobType,
    name: string | undefined,
    jobData: Record<string, unknown>,
  ): Promise<{ job_id: string }> => {
    const nowMs = Date.now();
    const job: Job = {
      account_id: accountId,
      project_id: projectId,
      job_id: newId('job', nowMs),
      job_type: jobType,
      name: name ?? `${jobType} ${new Date(nowMs).toISOString()}`,
      created_ts: nowMs,
      job_data: jobData,
      job_result: null,
      job_status: 'PENDING',
      retry_count: 0,
      progress: { fraction: 0, phase: 'waiting', message: 'Waiting for a worker.' },
      started_ts: null,
      finished_ts: null,
      failure_reason: null,
    };
    if (!(await jobs.submit(job))) throw projectNotFound(projectId);
    return { job_id: job.job_id };
  };

  const requireProject = (accountId: string, projectId: string) => findProject(store.projects, accountId, projectId);

  const requireModel = async (accountId: string, projectId: string, modelId: string, field?: string): Promise<void> => {
    await requireProject(accountId, projectId);
    if ((await models.get(accountId, projectId, modelId)) === null) throw modelNotFound(projectId, modelId, field);
  };

  return [
    defineRoute({
      method: 'POST',
      path: '/submit-training-job',
      tag,
      summary: 'Train a model with an algorithm',
      body: SubmitTrainingJobBody,
      response: SubmittedJob,
      errors: ['PROJECT_NOT_FOUND', 'ALGORITHM_NOT_FOUND', 'PLAN_LIMIT_EXCEEDED'],
      examples: {
        request: { project_id: PROJECT_ID, algorithm_id: 'alg_01k9zq4m2v8h3c7f5x1d0b6n9e', name: 'nightly' },
        response: { job_id: JOB_ID },
      },
      handler: async ({ body, caller }) => {
        await requireProject(caller.accountId, body.project_id);
        const algorithm = await store.algorithms.get(caller.accountId, body.project_id, body.algorithm_id);
        if (algorithm === null) throw algorithmNotFound(body.project_id, body.algorithm_id);
        await requireTrainingHours(store, caller.accountId);
        return submit(caller.accountId, body.project_id, 'TRAINING', body.name, {
          algorithm_id: algorithm.algorithm_id,
          algorithm_type: algorithm.algorithm_type,
          algorithm_parameters: algorithm.algorithm_parameters,
        });
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/submit-deployment-job',
      tag,
      summary: 'Serve the project from a model, or from a generator and a ranker',
      description:
        'The job succeeds when every API node serves the new model(s). What was deployed before serves until then; no call fails for the switch.',
      body: SubmitDeploymentJobBody,
      response: SubmittedJob,
      errors: ['PROJECT_NOT_FOUND', 'MODEL_NOT_FOUND', 'PLAN_LIMIT_EXCEEDED'],
      examples: {
        request: { project_id: PROJECT_ID, name: 'to production', generator_model_id: MODEL_ID, qps: 100 },
        response: { job_id: JOB_ID },
      },
      handler: async ({ body, caller }) => {
        const { project_id, generator_model_id, ranker_model_id = null, qps = 1 } = body;
        await requireModel(caller.accountId, project_id, generator_model_id, 'generator_model_id');
        if (ranker_model_id !== null)
          await requireModel(caller.accountId, project_id, ranker_model_id, 'ranker_model_id');
        const account = await store.accounts.get(caller.accountId);
        if (account !== null && qps > account.plan.max_qps) {
          throw new AppError(
            'PLAN_LIMIT_EXCEEDED',
            `qps is ${qps}, but the account's plan allows at most ${account.plan.max_qps}.`,
          );
        }
        const jobData = { generator_model_id, ranker_model_id, qps };
        return submit(caller.accountId, project_id, 'DEPLOYMENT', body.name, jobData);
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/submit-querying-job',
      tag,
      summary: 'Ask a model which users use an attribute value, or how usage is spread',
      body: SubmitQueryingJobBody,
      response: SubmittedJob,
      errors: ['PROJECT_NOT_FOUND', 'MODEL_NOT_FOUND'],
      examples: {
        request: {
          project_id: PROJECT_ID,
          model_id: MODEL_ID,
          query_type: 'user_distribution',
          queries: [{ attribute: 'genre', value: 'Drama', bins: 20 }],
        },
        response: { job_id: JOB_ID },
      },
      handler: async ({ body, caller }) => {
        const checked = checkQueries(body.query_type, body.queries);
        await requireModel(caller.accountId, body.project_id, body.model_id);
        return submit(caller.accountId, body.project_id, 'QUERYING', body.name, {
          model_id: body.model_id,
          ...checked,
        });
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/submit-clustering-job',
      tag,
      summary: 'Group users of like taste',
      body: SubmitClusteringJobBody,
      response: SubmittedJob,
      errors: ['PROJECT_NOT_FOUND', 'MODEL_NOT_FOUND'],
      examples: {
        request: {
          project_id: PROJECT_ID,
          model_id: MODEL_ID,
          cluster_type: 'user',
          parameters: { min_user_num: 50 },
        },
        response: { job_id: JOB_ID },
      },
      handler: async ({ body, caller }) => {
        const parameters = checkClusteringParameters(body.parameters ?? {});
        await requireModel(caller.accountId, body.project_id, body.model_id);
        return submit(caller.accountId, body.project_id, 'CLUSTERING', body.name, {
          model_id: body.model_id,
          cluster_type: body.cluster_type,
          parameters,
        });
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/get-job',
      tag,
      summary: 'Read a job and its progress',
      query: closed({ project_id: ServiceId, job_id: ServiceId }),
      response: JobAnswer,
      errors: ['JOB_NOT_FOUND'],
      examples: { request: { project_id: PROJECT_ID, job_id: JOB_ID }, response: EXAMPLE_JOB },
      handler: async ({ query, caller }) => {
        const job = await jobs.get(caller.accountId, query.project_id, query.job_id);
        if (job === null) throw jobNotFound(query.project_id, query.job_id);
        return presentJob(job, baseUrl());
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/list-jobs',
      tag,
      summary: 'List jobs, newest first, of one project or of all',
      query: closed({
        project_id: Type.Optional(ServiceId),
        job_type: Type.Optional(oneOf(JOB_TYPES)),
        job_status: Type.Optional(oneOf(JOB_STATUSES)),
        ...pageQuery,
      }),
      response: open({ jobs: Type.Array(JobAnswer), next_page_token: NextPageToken }),
      errors: ['PROJECT_NOT_FOUND', 'INVALID_PAGE_TOKEN'],
      examples: {
        request: { project_id: PROJECT_ID, job_type: 'TRAINING' },
        response: { jobs: [EXAMPLE_JOB], next_page_token: null },
      },
      handler: async ({ query, caller }) => {
        const { project_id, job_type, job_status } = query;
        if (project_id !== undefined) await requireProject(caller.accountId, project_id);
        const page = await jobs.list(caller.accountId, { project_id, job_type, job_status }, toPageRequest(query));
        return {
          jobs: page.entries.map((job) => presentJob(job, baseUrl())),
          next_page_token: page.next_page_token,
        };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/cancel-job',
      tag,
      summary: 'Cancel a job that has not ended',
      body: closed({ project_id: ServiceId, job_id: ServiceId }),
      response: JobAnswer,
      errors: ['JOB_NOT_FOUND', 'JOB_FINISHED'],
      examples: {
        request: { project_id: PROJECT_ID, job_id: JOB_ID },
        response: { ...EXAMPLE_JOB, job_status: 'CANCELLED', job_result: null },
      },
      handler: async ({ body, caller }) => {
        const outcome = await jobs.cancel(caller.accountId, body.project_id, body.job_id, Date.now());
        if (outcome === null) throw jobNotFound(body.project_id, body.job_id);
        if (outcome === 'ended') throw new AppError('JOB_FINISHED', `Job ${body.job_id} has already ended.`);
        if (outcome === 'switched') {
          throw new AppError('JOB_FINISHED', `Job ${body.job_id} has already switched the deployment.`);
        }
        return presentJob(outcome, baseUrl());
      },
    }),
  ];
}

/** What the developer sees of a job; links are made from this node's public address. */
function presentJob({ account_id: _, job_result, ...job }: Job, baseUrl: string) {
  return { ...job, job_result: job_result && presentResult(job_result, baseUrl) };
}

function presentResult({ serving_path, download_path, ...result }: Record<string, unknown>, baseUrl: string) {
  return {
    ...(serving_path !== undefined && { serving_uri: `${baseUrl}${serving_path}` }),
    ...(download_path !== undefined && { download_url: `${baseUrl}${download_path}` }),
    ...result,
  };
}

async function requireTrainingHours(store: JobRoutesParts['store'], accountId: string): Promise<void> {
  const account = await store.accounts.get(accountId);
  if (account === null || account.training_hours < account.plan.max_training_hours) return;
  throw new AppError(
    'PLAN_LIMIT_EXCEEDED',
    `The account has used ${account.training_hours.toFixed(2)} of the ${account.plan.max_training_hours} training hours of its plan.`,
  );
}

const EXAMPLE_JOB = {
  project_id: PROJECT_ID,
  job_id: JOB_ID,
  job_type: 'TRAINING',
  created_ts: 1_760_000_000_000,
  name: 'nightly',
  job_data: {
    algorithm_id: 'alg_01k9zq4m2v8h3c7f5x1d0b6n9e',
    algorithm_type: 'G1',
    algorithm_parameters: {},
  },
  job_result: { model_id: MODEL_ID },
  job_status: 'SUCCEED',
  retry_count: 0,
  progress: { fraction: 1, phase: 'done', message: '' },
  started_ts: 1_760_000_000_100,
  finished_ts: 1_760_000_042_000,
  failure_reason: null,
};
