// What a project serves now, read from its models and its deployment jobs.
import type { Job, Model } from '../../../src/client/index.ts';
import { useEntries } from './use-entries.ts';
import { useRecentJobs } from './use-jobs.ts';

export type ModelRole = 'generator' | 'ranker' | 'generator and ranker';

export interface CurrentDeployment {
  generator: Model | null;
  ranker: Model | null;
  job: Job | null;
}

export function useProjectModels(projectId: string, pollMs: number | false = false) {
  const request = { project_id: projectId };
  return useEntries('/list-models', request, (client) => client.iterateModels(request), {
    enabled: projectId !== '',
    pollMs,
  });
}

/** Newest succeeded deployment whose models are still deployed; null when the project serves nothing. */
export function currentDeployment(models: Model[], deploymentJobs: Job[]): CurrentDeployment | null {
  const deployed = models.filter((model) => model.deployed);
  if (deployed.length === 0) return null;
  const job = deploymentJobs.find(
    (candidate) =>
      candidate.job_status === 'SUCCEED' &&
      deployed.some((model) => model.model_id === candidate.job_data.generator_model_id),
  );
  const byId = (id: unknown) => models.find((model) => model.model_id === id) ?? null;
  return {
    generator: job ? byId(job.job_data.generator_model_id) : deployed[0],
    ranker: job ? byId(job.job_data.ranker_model_id) : null,
    job: job ?? null,
  };
}

export function roleOf(model: Model, deployment: CurrentDeployment | null): ModelRole | null {
  if (!deployment) return null;
  const isGenerator = deployment.generator?.model_id === model.model_id;
  const isRanker = deployment.ranker?.model_id === model.model_id;
  if (isGenerator && isRanker) return 'generator and ranker';
  return isGenerator ? 'generator' : isRanker ? 'ranker' : null;
}

export function useDeployment(projectId: string) {
  const models = useProjectModels(projectId);
  const { jobs } = useRecentJobs({ project_id: projectId, job_type: 'DEPLOYMENT' });
  const history = jobs.filter((job) => job.job_status === 'SUCCEED');
  return { models, history, jobs, current: currentDeployment(models.data ?? [], history) };
}
