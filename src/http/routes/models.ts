// Models and the deployment of a project.

import { Type } from 'typebox';
import { modelNotFound } from '../../domain/not-found.ts';
import { AppError } from '../../errors.ts';
import type { LiveDeployments } from '../../serving/live-deployments.ts';
import type { BlobStore } from '../../store/blob-store.ts';
import type { ListedModel } from '../../store/model-store.ts';
import type { Store } from '../../store/store.ts';
import { projectById } from '../find-project.ts';
import { defineRoute, type Route } from '../route.ts';
import { closed, Name, NextPageToken, open, pageQuery, ServiceId, toPageRequest } from '../schemas/common.ts';
import { EXAMPLE_JOB_ID, EXAMPLE_MODEL_ID, EXAMPLE_PROJECT_ID } from '../schemas/examples.ts';
import { DeploymentResponse, ModelResponse } from '../schemas/jobs.ts';
import { servingUri } from './projects.ts';

export interface ModelRoutesParts {
  store: Pick<Store, 'projects' | 'models' | 'deployments'>;
  live: LiveDeployments;
  blobs: BlobStore;
  baseUrl: () => string;
}

const tag = 'Models';

export function modelRoutes({ store, live, blobs, baseUrl }: ModelRoutesParts): Route[] {
  const { models, deployments } = store;
  const requireProject = (accountId: string, projectId: string) => projectById(store.projects, accountId, projectId);

  return [
    defineRoute({
      method: 'GET',
      path: '/get-model',
      tag,
      summary: 'Read a model',
      query: closed({ project_id: ServiceId, model_id: ServiceId }),
      response: ModelResponse,
      errors: ['MODEL_NOT_FOUND'],
      examples: { request: { project_id: EXAMPLE_PROJECT_ID, model_id: EXAMPLE_MODEL_ID }, response: EXAMPLE_MODEL },
      handler: async ({ query, caller }) => {
        const model = await models.get(caller.accountId, query.project_id, query.model_id);
        if (model === null) throw modelNotFound(query.project_id, query.model_id);
        return presentModel(model);
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/list-models',
      tag,
      summary: "List a project's models, newest first",
      query: closed({ project_id: ServiceId, ...pageQuery }),
      response: open({ models: Type.Array(ModelResponse), next_page_token: NextPageToken }),
      errors: ['PROJECT_NOT_FOUND', 'INVALID_PAGE_TOKEN'],
      examples: {
        request: { project_id: EXAMPLE_PROJECT_ID },
        response: { models: [EXAMPLE_MODEL], next_page_token: null },
      },
      handler: async ({ query, caller }) => {
        await requireProject(caller.accountId, query.project_id);
        const page = await models.list(caller.accountId, query.project_id, toPageRequest(query));
        return { models: page.entries.map(presentModel), next_page_token: page.next_page_token };
      },
    }),
    defineRoute({
      method: 'PUT',
      path: '/update-model',
      tag,
      summary: 'Rename a model',
      body: closed({ project_id: ServiceId, model_id: ServiceId, name: Type.Optional(Name) }),
      response: ModelResponse,
      errors: ['MODEL_NOT_FOUND'],
      examples: {
        request: { project_id: EXAMPLE_PROJECT_ID, model_id: EXAMPLE_MODEL_ID, name: 'before the sale' },
        response: { ...EXAMPLE_MODEL, name: 'before the sale' },
      },
      handler: async ({ body: { project_id, model_id, name }, caller }) => {
        const model =
          name === undefined
            ? await models.get(caller.accountId, project_id, model_id)
            : await models.rename(caller.accountId, project_id, model_id, name);
        if (model === null) throw modelNotFound(project_id, model_id);
        return presentModel(model);
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: '/delete-model',
      tag,
      summary: 'Delete a model that is not deployed, with its file',
      body: closed({ project_id: ServiceId, model_id: ServiceId }),
      response: ModelResponse,
      errors: ['MODEL_NOT_FOUND', 'MODEL_DEPLOYED'],
      examples: { request: { project_id: EXAMPLE_PROJECT_ID, model_id: EXAMPLE_MODEL_ID }, response: EXAMPLE_MODEL },
      handler: async ({ body, caller, request }) => {
        const deleted = await models.delete(caller.accountId, body.project_id, body.model_id);
        if (deleted === null) throw modelNotFound(body.project_id, body.model_id);
        if (deleted === 'deployed') {
          throw new AppError(
            'MODEL_DEPLOYED',
            `Model ${body.model_id} is deployed. Shut down the deployment or deploy another model first.`,
          );
        }
        // Deleting the row deletes the model. A file that cannot be removed now is removed by a sweep later.
        await blobs
          .delete(deleted.model.artifact_key)
          .catch((error) => request.log.warn({ err: error }, 'a model file could not be removed'));
        await live.followedEverywhere(deleted.epoch);
        return presentModel({ ...deleted.model, deployed: false });
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/get-deployment',
      tag,
      summary: 'Read the deployment of a project',
      query: closed({ project_id: ServiceId }),
      response: DeploymentResponse,
      errors: ['PROJECT_NOT_FOUND', 'NO_MODEL_DEPLOYED'],
      examples: {
        request: { project_id: EXAMPLE_PROJECT_ID },
        response: {
          project_id: EXAMPLE_PROJECT_ID,
          version: 3,
          generator_model_id: EXAMPLE_MODEL_ID,
          ranker_model_id: null,
          qps: 100,
          job_id: EXAMPLE_JOB_ID,
          created_ts: 1_760_000_000_000,
          serving_uri: `https://recommend.example.com/projects/${EXAMPLE_PROJECT_ID}`,
        },
      },
      handler: async ({ query, caller }) => {
        await requireProject(caller.accountId, query.project_id);
        const deployment = await deployments.active(caller.accountId, query.project_id);
        if (deployment === null) throw notDeployed(query.project_id);
        const { account_id: _, state: __, ...shown } = deployment;
        return { ...shown, serving_uri: servingUri(baseUrl(), query.project_id) };
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: '/shutdown-deployment',
      role: 'editor',
      tag,
      summary: 'Stop serving a project',
      description:
        'Stops serving the project and cancels its unfinished deployment jobs: a deployment submitted before this call never serves after it. Returns when no API node serves the project.',
      body: closed({ project_id: ServiceId }),
      response: open({ project_id: ServiceId }),
      errors: ['PROJECT_NOT_FOUND', 'NO_MODEL_DEPLOYED'],
      examples: { request: { project_id: EXAMPLE_PROJECT_ID }, response: { project_id: EXAMPLE_PROJECT_ID } },
      handler: async ({ body, caller, runtime }) => {
        await requireProject(caller.accountId, body.project_id);
        const ended = await deployments.shutDown(caller.accountId, body.project_id, runtime.nowMs());
        // Waits even if nothing was deployed: the client may repeat a call whose response was lost before other nodes
        // had followed.
        await live.followedEverywhere(ended?.epoch ?? (await deployments.epoch()));
        if (ended === null) throw notDeployed(body.project_id);
        return { project_id: body.project_id };
      },
    }),
  ];
}

/** The fields of a model that the API returns. */
function presentModel({ account_id: _, artifact_key: __, ...model }: ListedModel) {
  return model;
}

export function notDeployed(projectId: string): AppError {
  return new AppError(
    'NO_MODEL_DEPLOYED',
    `Project ${projectId} has no deployed model. Deploy one first (/submit-deployment-job).`,
  );
}

const EXAMPLE_MODEL = {
  project_id: EXAMPLE_PROJECT_ID,
  model_id: EXAMPLE_MODEL_ID,
  name: 'nightly',
  algorithm_type: 'G1',
  algorithm_parameters: {},
  created_ts: 1_760_000_042_000,
  job_id: EXAMPLE_JOB_ID,
  metrics: {
    model: { recall: 0.21, ndcg: 0.12, mrr: 0.09, coverage: 0.6 },
    popularity: { recall: 0.05, ndcg: 0.02, mrr: 0.02, coverage: 0.01 },
    cutoff: 10,
    users: 3000,
  },
  training: { events: 100_000, users: 5000, items: 2000, seconds: { total: 42 }, peak_memory_mb: 300 },
  deployed: false,
};
