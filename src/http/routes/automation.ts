// Routes for the decisions and the state of automation, and for the roll-back to the previous deployment.

import { Type } from 'typebox';
import { firstState } from '../../automation/first-state.ts';
import { newEvents, nextTrainingMs } from '../../automation/retraining.ts';
import { jobName, newJob } from '../../domain/job.ts';
import { AppError } from '../../errors.ts';
import type { Store } from '../../store/store.ts';
import { projectById } from '../find-project.ts';
import { defineRoute, type Route } from '../route.ts';
import { DecisionResponse, EXAMPLE_AUTOMATION, StatusResponse } from '../schemas/automation.ts';
import { closed, NextPageToken, nullable, open, pageQuery, ServiceId, toPageRequest } from '../schemas/common.ts';
import { EXAMPLE_JOB_ID, EXAMPLE_MODEL_ID, EXAMPLE_PROJECT_ID } from '../schemas/examples.ts';
import { notDeployed } from './models.ts';
import { submitJobOnce } from './submit-jobs.ts';

type AutomationParts = Pick<Store, 'projects' | 'automation' | 'deployments' | 'jobs' | 'models'>;

const tag = 'Models';
const OLDER_ID = 'mdl_01k9zpz5b7c9d1e3f5g7h9j1k3';

const EXAMPLE_DECISION = {
  decision_id: 'dec_01k9zq4m2v8h3c7f5x1d0b6n9e',
  project_id: EXAMPLE_PROJECT_ID,
  decided_ts: 1_762_300_000_000,
  decision: 'reject' as const,
  reason:
    'It is worse than the deployed model: NDCG 0.112 against 0.140 on the newest events of 1,312 users (difference -0.028, 95% interval -0.035 to -0.021).',
  model_id: EXAMPLE_MODEL_ID,
  training_job_id: EXAMPLE_JOB_ID,
  deployment_job_id: null,
  comparison: {
    compared_model_id: OLDER_ID,
    verdict: 'worse' as const,
    users: 1312,
    since_ts: 1_762_200_000_000,
    ndcg: 0.112,
    compared_ndcg: 0.14,
    difference: -0.028,
    interval: [-0.035, -0.021],
  },
};

export function automationRoutes({ projects, automation, deployments, jobs, models }: AutomationParts): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/list-automation-decisions',
      tag,
      summary: 'List what automation decided about new models, newest first',
      query: closed({ project_id: ServiceId, ...pageQuery }),
      response: open({ decisions: Type.Array(DecisionResponse), next_page_token: NextPageToken }),
      errors: ['PROJECT_NOT_FOUND', 'INVALID_PAGE_TOKEN'],
      examples: {
        request: { project_id: EXAMPLE_PROJECT_ID },
        response: { decisions: [EXAMPLE_DECISION], next_page_token: null },
      },
      async handler({ query, caller }) {
        await projectById(projects, caller.accountId, query.project_id);
        const page = await automation.decisions(caller.accountId, query.project_id, toPageRequest(query));
        const decisions = page.entries.map(({ account_id: _, ...decision }) => decision);
        return { decisions, next_page_token: page.next_page_token };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/get-automation-status',
      tag,
      summary: 'Read when a project is trained next',
      query: closed({ project_id: ServiceId }),
      response: StatusResponse,
      errors: ['PROJECT_NOT_FOUND'],
      examples: {
        request: { project_id: EXAMPLE_PROJECT_ID },
        response: {
          project_id: EXAMPLE_PROJECT_ID,
          automation: EXAMPLE_AUTOMATION,
          new_events: 1234,
          failures: 0,
          message: null,
          next_training_ts: 1_762_386_400_000,
          training_job_id: null,
          rollback_model_id: OLDER_ID,
        },
      },
      async handler({ query: { project_id }, caller, runtime }) {
        const project = await projectById(projects, caller.accountId, project_id);
        const one = await automation.get(caller.accountId, project_id);
        const earlier = await automation.earlierDeployment(caller.accountId, project_id);
        // The first step is taken a few seconds after automation is switched on.
        const state = one && (one.state ?? (await firstState({ jobs, models }, one, runtime.nowMs())));
        return {
          project_id,
          automation: project.automation ?? null,
          new_events: one === null || state === null ? 0 : newEvents(state, one.events),
          next_training_ts: one === null || state === null ? null : nextTrainingMs(one.project.automation, state),
          training_job_id: state?.training_job_id ?? null,
          failures: state?.failures ?? 0,
          message: state?.message ?? null,
          rollback_model_id: earlier?.generator_model_id ?? null,
        };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/rollback-deployment',
      tag,
      summary: 'Roll back to the model that served before',
      description:
        'Submits a deployment job; the current model serves until it has ended, and no call fails. A repeated call returns the same job while it runs. Later calls go further back: give `from_model_id` to roll back only if that model is deployed.',
      body: closed({
        project_id: ServiceId,
        from_model_id: Type.Optional(
          Type.Unsafe<string>({
            ...ServiceId,
            description: 'The model to roll back from. If another one is deployed, nothing is done and job_id is null.',
          }),
        ),
      }),
      response: open({ job_id: nullable(ServiceId), model_id: ServiceId }),
      errors: ['PROJECT_NOT_FOUND', 'NO_MODEL_DEPLOYED', 'NO_EARLIER_DEPLOYMENT', 'TOO_MANY_JOBS'],
      examples: {
        request: { project_id: EXAMPLE_PROJECT_ID },
        response: { job_id: EXAMPLE_JOB_ID, model_id: OLDER_ID },
      },
      async handler({ body: { project_id, from_model_id }, caller, runtime }) {
        await projectById(projects, caller.accountId, project_id);
        const active = await deployments.active(caller.accountId, project_id);
        if (active === null) throw notDeployed(project_id);
        if (from_model_id !== undefined && from_model_id !== active.generator_model_id) {
          return { job_id: null, model_id: active.generator_model_id };
        }
        const earlier = await automation.earlierDeployment(caller.accountId, project_id);
        if (earlier === null) {
          throw new AppError(
            'NO_EARLIER_DEPLOYMENT',
            `No model that project ${project_id} served before the current one still exists. Deploy a model with /submit-deployment-job.`,
          );
        }
        const { generator_model_id, ranker_model_id, version } = earlier;
        const nowMs = runtime.nowMs();
        const given = {
          account_id: caller.accountId,
          project_id,
          job_type: 'DEPLOYMENT' as const,
          name: jobName('Roll-back', nowMs),
          job_data: { generator_model_id, ranker_model_id, qps: null, restores_version: version },
        };
        const job = newJob(given, runtime, nowMs);
        return { ...(await submitJobOnce(jobs, job)), model_id: generator_model_id };
      },
    }),
  ];
}
