// Checks a recommendation job at submission and fills in its defaults: which models, whom for, a filter that compiles.
import type { Static } from 'typebox';
import { compileFilter } from '../domain/compile-filter.ts';
import { jobNotFound, modelNotFound } from '../domain/not-found.ts';
import { DEFAULT_JOB_LIST, type JobUsers, type RecommendationJobData } from '../domain/recommendation-job.ts';
import { AppError } from '../errors.ts';
import type { Store } from '../store/store.ts';
import { findProject } from './routes/projects.ts';
import type { SubmitRecommendationJobBody } from './schemas/jobs.ts';

type Body = Static<typeof SubmitRecommendationJobBody>;
type Stores = Pick<Store, 'projects' | 'models' | 'jobs' | 'deployments'>;

export async function recommendationJobData(
  store: Stores,
  accountId: string,
  body: Body,
): Promise<RecommendationJobData> {
  const { project_id, users, filter_query = null, filter_params = {} } = body;
  await findProject(store.projects, accountId, project_id);
  const models = await modelsOf(store, accountId, body);
  if ('job_id' in users) await requireUserList(store, accountId, project_id, users);
  if (filter_query) checkFilter(filter_query, filter_params);
  return {
    ...models,
    ...{
      users,
      filter_query,
      filter_params,
      limit: body.limit ?? DEFAULT_JOB_LIST,
      objective: body.objective ?? 'auto',
    },
    exclude_event_types: body.exclude_event_types ?? [],
    attributes: body.attributes ?? [],
    format: body.format ?? 'jsonl',
  };
}

/** Those of the request, or what is deployed. */
export async function modelsOf(
  store: Pick<Stores, 'models' | 'deployments'>,
  accountId: string,
  { project_id, model_id }: Pick<Body, 'project_id' | 'model_id'>,
) {
  if (model_id !== undefined) {
    if ((await store.models.get(accountId, project_id, model_id)) === null) throw modelNotFound(project_id, model_id);
    return { model_id, ranker_model_id: null };
  }
  const deployment = await store.deployments.active(accountId, project_id);
  if (deployment === null) {
    const detail = `Project ${project_id} has no deployment. Deploy a model, or give model_id.`;
    throw new AppError('NO_MODEL_DEPLOYED', detail);
  }
  return { model_id: deployment.generator_model_id, ranker_model_id: deployment.ranker_model_id };
}

async function requireUserList(
  store: Stores,
  accountId: string,
  projectId: string,
  { job_id }: Extract<JobUsers, { job_id: string }>,
): Promise<void> {
  const job = await store.jobs.get(accountId, projectId, job_id);
  if (job === null) throw jobNotFound(projectId, job_id);
  const expiredAtSec = Number(job.job_result?.expired_at_sec ?? 0);
  const isList = job.job_type === 'QUERYING' && job.job_data.query_type === 'user_list';
  const message = !isList
    ? 'is not a querying job of type user_list'
    : job.job_status !== 'SUCCEED'
      ? `has not succeeded (${job.job_status})`
      : expiredAtSec <= Date.now() / 1000
        ? 'has a result that expired after 24 hours: submit the querying job again'
        : null;
  if (message === null) return;
  throw new AppError('INVALID_REQUEST', `Job ${job_id} ${message}.`, {
    errors: [{ pointer: '/users/job_id', message }],
  });
}

/** Attributes of users are known only when the job runs. Missing ones fold as for a user without a record. */
function checkFilter(text: string, params: RecommendationJobData['filter_params']): void {
  compileFilter(text).fold({ params, nowMs: Date.now() });
}
