// Reads, lists and cancels jobs. submit-jobs.ts submits them.

import { Type } from 'typebox';
import { JOB_TYPES, type Job } from '../../domain/job.ts';
import { JOB_STATUSES } from '../../domain/job-status.ts';
import { jobNotFound } from '../../domain/not-found.ts';
import { AppError } from '../../errors.ts';
import type { Store } from '../../store/store.ts';
import { projectById } from '../find-project.ts';
import { defineRoute, type Route } from '../route.ts';
import { closed, NextPageToken, oneOf, open, pageQuery, ServiceId, toPageRequest } from '../schemas/common.ts';
import { EXAMPLE_ALGORITHM_ID, EXAMPLE_JOB_ID, EXAMPLE_MODEL_ID, EXAMPLE_PROJECT_ID } from '../schemas/examples.ts';
import { JobResponse } from '../schemas/jobs.ts';

export interface JobRoutesParts {
  store: Pick<Store, 'projects' | 'jobs'>;
  /** public address, without a trailing slash */
  baseUrl: () => string;
}

const tag = 'Jobs';

export function jobRoutes({ store, baseUrl }: JobRoutesParts): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/get-job',
      tag,
      summary: 'Read a job and its progress',
      query: closed({ project_id: ServiceId, job_id: ServiceId }),
      response: JobResponse,
      errors: ['JOB_NOT_FOUND'],
      examples: { request: { project_id: EXAMPLE_PROJECT_ID, job_id: EXAMPLE_JOB_ID }, response: EXAMPLE_JOB },
      handler: async ({ query, caller }) => {
        const job = await store.jobs.get(caller.accountId, query.project_id, query.job_id);
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
      response: open({ jobs: Type.Array(JobResponse), next_page_token: NextPageToken }),
      errors: ['PROJECT_NOT_FOUND', 'INVALID_PAGE_TOKEN'],
      examples: {
        request: { project_id: EXAMPLE_PROJECT_ID, job_type: 'TRAINING' },
        response: { jobs: [EXAMPLE_JOB], next_page_token: null },
      },
      handler: async ({ query, caller }) => {
        const { project_id, job_type, job_status } = query;
        if (project_id !== undefined) await projectById(store.projects, caller.accountId, project_id);
        const page = await store.jobs.list(
          caller.accountId,
          { project_id, job_type, job_status },
          toPageRequest(query),
        );
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
      response: JobResponse,
      errors: ['JOB_NOT_FOUND', 'JOB_FINISHED'],
      examples: {
        request: { project_id: EXAMPLE_PROJECT_ID, job_id: EXAMPLE_JOB_ID },
        response: { ...EXAMPLE_JOB, job_status: 'CANCELLED', job_result: null },
      },
      handler: async ({ body, caller, runtime }) => {
        const outcome = await store.jobs.cancel(caller.accountId, body.project_id, body.job_id, runtime.nowMs());
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

/** A job in the API. Links use this node's public address. */
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

const EXAMPLE_JOB = {
  project_id: EXAMPLE_PROJECT_ID,
  job_id: EXAMPLE_JOB_ID,
  job_type: 'TRAINING',
  created_ts: 1_760_000_000_000,
  name: 'nightly',
  job_data: {
    algorithm_id: EXAMPLE_ALGORITHM_ID,
    algorithm_type: 'G1',
    algorithm_parameters: {},
  },
  job_result: { model_id: EXAMPLE_MODEL_ID },
  job_status: 'SUCCEED',
  retry_count: 0,
  progress: { fraction: 1, phase: 'done', message: '' },
  started_ts: 1_760_000_000_100,
  finished_ts: 1_760_000_042_000,
  failure_reason: null,
};
