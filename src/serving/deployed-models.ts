// Finds what serves a call: the deployment, the rate it allows, and its models, which are loaded if need be.

import { plural } from '../base/plural.ts';
import { type Runtime, systemRuntime } from '../base/runtime.ts';
import { modelNotFound, projectNotFound } from '../domain/not-found.ts';
import type { Project } from '../domain/project.ts';
import { AppError } from '../errors.ts';
import type { Store } from '../store/store.ts';
import type { LiveDeployment, LiveDeployments } from './live-deployments.ts';
import { type ModelCache, type ModelName, ModelUnavailable, type ServableModel } from './model-cache.ts';
import type { RankingModels } from './ranking-models.ts';

export interface DeployedModelsParts {
  readonly store: Store;
  readonly deployments: LiveDeployments;
  readonly cache: ModelCache;
  readonly runtime?: Runtime;
}

export class DeployedModels {
  readonly #parts: DeployedModelsParts;
  readonly #runtime: Runtime;

  constructor(parts: DeployedModelsParts) {
    this.#parts = parts;
    this.#runtime = parts.runtime ?? systemRuntime;
  }

  /**
   * Takes a token before the call's body is read, so that neither a flood nor invalid calls cost more than their headers. If only
   * the body says which project is meant, the token may be another project's: then `deploymentFor` returns it and takes or
   * refuses the right one.
   */
  admit(accountId: string, projectId: string | undefined): LiveDeployment | null {
    const { deployments } = this.#parts;
    const nowMs = this.#runtime.monotonicMs();
    if (projectId === undefined) {
      return deployments.ofAccount(accountId).find(({ bucket }) => bucket.take(nowMs) === 0) ?? null;
    }
    const live = deployments.get(accountId, projectId);
    if (live !== undefined) takeToken(live, nowMs);
    return live ?? null;
  }

  /** The deployment of a call, whose token was taken. `charged` is what `admit` returned. */
  async deploymentFor(
    accountId: string,
    projectId: string | undefined,
    charged: LiveDeployment | null,
  ): Promise<LiveDeployment> {
    const { deployments } = this.#parts;
    if (!deployments.isFresh) await deployments.refresh();
    const wantedId = projectId ?? deployments.defaultProjectOf(accountId);
    const live = wantedId ? deployments.get(accountId, wantedId) : undefined;
    const isCharged = charged?.bucket === live?.bucket;
    if (!isCharged) charged?.bucket.giveBack();
    if (live === undefined) throw await this.#notDeployed(accountId, projectId);
    if (!isCharged) takeToken(live, this.#runtime.monotonicMs());
    return live;
  }

  /** The models of a call: the deployed ones, or the one that the call names. */
  async modelsFor(live: LiveDeployment, modelId: string | undefined): Promise<RankingModels> {
    const { project } = live;
    const { version: deployment, generator_model_id, ranker_model_id } = live.deployment;
    if (modelId) return { project, deployment, generator: await this.#namedModel(project, modelId), ranker: null };
    try {
      const generator = await this.#model(project, generator_model_id);
      const ranker = ranker_model_id === null ? null : await this.#model(project, ranker_model_id);
      // The catalog was replaced after the first was taken.
      if (ranker !== null && ranker.catalog !== generator.catalog) return await this.modelsFor(live, undefined);
      return { project, deployment, generator, ranker };
    } catch (error) {
      const newer = await this.#newerThan(live);
      if (newer === null) throw error;
      return this.modelsFor(newer, undefined);
    }
  }

  /**
   * Returns the current deployment if it changed: while a call waits for a model, another may have been deployed and
   * the old model deleted, or the project shut down.
   */
  async #newerThan({ project, deployment }: LiveDeployment): Promise<LiveDeployment | null> {
    const { account_id, project_id } = project;
    const { deployments } = this.#parts;
    await deployments.refresh();
    const live = deployments.get(account_id, project_id);
    if (live === undefined) throw await this.#notDeployed(account_id, project_id);
    return live.deployment.version === deployment.version ? null : live;
  }

  async #notDeployed(accountId: string, projectId: string | undefined): Promise<AppError> {
    const { deployments, store } = this.#parts;
    if (projectId !== undefined) {
      if ((await store.projects.get(accountId, projectId)) === null) return projectNotFound(projectId);
      return new AppError(
        'NO_MODEL_DEPLOYED',
        `Project ${projectId} has no deployed model. Deploy one first (/submit-deployment-job).`,
      );
    }
    const defaultId = deployments.defaultProjectOf(accountId);
    return new AppError(
      'NO_MODEL_DEPLOYED',
      defaultId
        ? `The account's default project ${defaultId} has no deployed model. Deploy one, or send another project_id.`
        : 'No project has a deployed model. Deploy one first (/submit-deployment-job).',
    );
  }

  /** A model named by the caller, deployed or not. It is looked up every time, so that a deleted model is unusable at once. */
  async #namedModel(project: Project, modelId: string): Promise<ServableModel> {
    const { account_id, project_id } = project;
    const row = await this.#parts.store.models.get(account_id, project_id, modelId);
    if (row === null) throw modelNotFound(project_id, modelId);
    return this.#model(project, modelId);
  }

  /** Returns a model without a promise if it is in memory. */
  #model(project: Project, modelId: string): ServableModel | Promise<ServableModel> {
    const name = { accountId: project.account_id, projectId: project.project_id, modelId };
    return this.#parts.cache.get(name) ?? this.#load(name);
  }

  async #load(name: ModelName): Promise<ServableModel> {
    try {
      return await this.#parts.cache.load(name);
    } catch (error) {
      if (error instanceof ModelUnavailable) throw new AppError('MODEL_NOT_FOUND', error.message, { cause: error });
      throw error;
    }
  }
}

function takeToken({ bucket, deployment }: LiveDeployment, nowMs: number): void {
  const waitMs = bucket.take(nowMs);
  if (waitMs === 0) return;
  const limit = plural(deployment.qps, 'request');
  throw new AppError('RATE_LIMITED', `Rate limit reached: ${limit} per second. Try again in a moment.`, {
    retryAfterSec: Math.max(1, Math.ceil(waitMs / 1000)),
  });
}
