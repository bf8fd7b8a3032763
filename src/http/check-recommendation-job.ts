// Checks a recommendation job at submission and fills in its defaults: which models, whom for, a filter that compiles.
import type { Static } from 'typebox';
import { compileFilter } from '../domain/filter/compile-filter.ts';
import type { Job } from '../domain/job.ts';
import { jobNotFound, modelNotFound, placementNotFound } from '../domain/not-found.ts';
import { ITEM_KINDS } from '../domain/placement.ts';
import {
  DEFAULT_JOB_LIST,
  JOB_CALL_FIELDS,
  type JobCallFields,
  type RecommendationJobData,
} from '../domain/recommendation-job.ts';
import { AppError } from '../errors.ts';
import { checkPins } from '../placements/pins.ts';
import type { Store } from '../store/store.ts';
import { projectById } from './find-project.ts';
import type { SubmitRecommendationJobBody } from './schemas/jobs.ts';

type Body = Static<typeof SubmitRecommendationJobBody>;
type Stores = Pick<Store, 'projects' | 'models' | 'jobs' | 'deployments' | 'placements'>;

export async function recommendationJobData(
  store: Stores,
  accountId: string,
  body: Body,
  nowMs: number,
): Promise<RecommendationJobData> {
  const { project_id, users, placement = null, filter_query = null, filter_params = {} } = body;
  await projectById(store.projects, accountId, project_id);
  const ownModel = placement === null ? null : await modelOfPlacement(store, accountId, project_id, placement);
  const models = await modelsOf(store, accountId, { project_id, model_id: body.model_id ?? ownModel ?? undefined });
  if ('job_id' in users) {
    const { job_id } = users;
    requireUserList(await store.jobs.get(accountId, project_id, job_id), { project_id, job_id }, nowMs);
  }
  const call: JobCallFields = Object.fromEntries(
    JOB_CALL_FIELDS.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]])),
  );
  if (call.pins) checkPins(call.pins);
  for (const text of [filter_query, ...(call.boosts ?? []).map((boost) => boost.filter_query)]) {
    // Parameters may come from the placement. Attributes of users are known only when the job runs: those missing fold as for a
    // user without a record.
    if (text && placement === null) compileFilter(text).fold({ params: filter_params, context: call.context, nowMs });
    else if (text) compileFilter(text);
  }
  return {
    ...models,
    model_given: body.model_id !== undefined,
    users,
    placement,
    filter_query,
    filter_params,
    limit: body.limit ?? (placement === null ? DEFAULT_JOB_LIST : null),
    objective: body.objective ?? (placement === null ? 'auto' : null),
    exclude_event_types: body.exclude_event_types ?? [],
    attributes: body.attributes ?? (placement === null ? [] : null),
    ...(Object.keys(call).length > 0 && { call }),
    format: body.format ?? 'jsonl',
    destination: body.destination ?? null,
  };
}

/** Returns null if the placement names no model or a deleted one. Then the deployed model is used. */
async function modelOfPlacement(
  store: Stores,
  accountId: string,
  projectId: string,
  name: string,
): Promise<string | null> {
  const placement = await store.placements.get({ accountId, projectId, name });
  if (placement === null) throw placementNotFound(projectId, name, 'placement');
  const { kind, defaults } = placement.current.definition;
  if (ITEM_KINDS.includes(kind)) {
    const message = `is of kind ${kind}, which starts from items: a job has none`;
    const errors = [{ pointer: '/placement', message }];
    throw new AppError('INVALID_REQUEST', `Placement ${name} ${message}.`, { errors });
  }
  const { model_id } = defaults;
  const model = model_id === undefined ? null : await store.models.get(accountId, projectId, model_id);
  return model?.model_id ?? null;
}

/** Returns the model of the request, or the deployed models. */
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

function requireUserList(
  job: Job | null,
  { project_id, job_id }: Pick<Job, 'project_id' | 'job_id'>,
  nowMs: number,
): void {
  if (job === null) throw jobNotFound(project_id, job_id, 'users/job_id');
  const expiredAtSec = Number(job.job_result?.expired_at_sec ?? 0);
  const isList = job.job_type === 'QUERYING' && job.job_data.query_type === 'user_list';
  const message = !isList
    ? 'is not a querying job of type user_list'
    : job.job_status !== 'SUCCEED'
      ? `has not succeeded (${job.job_status})`
      : expiredAtSec <= nowMs / 1000
        ? 'has a result that expired after 24 hours: submit the querying job again'
        : null;
  if (message === null) return;
  throw new AppError('INVALID_REQUEST', `Job ${job_id} ${message}.`, {
    errors: [{ pointer: '/users/job_id', message }],
  });
}
