// What a project serves now, as its models and its deployment jobs tell.
import type { Job, Model } from '../../../src/client/index.ts';
import { isActive } from '../../../src/domain/job-status.ts';

export type ModelRole = 'generator' | 'ranker' | 'generator and ranker';

export interface CurrentDeployment {
  generator: Model | null;
  ranker: Model | null;
  job: Job | null;
}

/**
 * Newest succeeded deployment whose models are still deployed; null when the project serves nothing. While the first model is deployed,
 * not every node serves it yet. While another one replaces it, every node serves one of the two.
 */
export function currentDeployment(models: Model[], deploymentJobs: Job[]): CurrentDeployment | null {
  const deployed = models.filter((model) => model.deployed);
  const ofDeployed = deploymentJobs.filter((job) =>
    deployed.some((model) => model.model_id === job.job_data.generator_model_id),
  );
  const switching = ofDeployed.find(isActive);
  const isFirst = !deploymentJobs.some(hasSucceeded);
  if (deployed.length === 0 || (isFirst && switching)) return null;
  const job = ofDeployed.find(hasSucceeded) ?? switching;
  const byId = (id: unknown) => models.find((model) => model.model_id === id) ?? null;
  return {
    generator: job ? byId(job.job_data.generator_model_id) : deployed[0],
    ranker: job ? byId(job.job_data.ranker_model_id) : null,
    job: job ?? null,
  };
}

const hasSucceeded = ({ job_status }: Job): boolean => job_status === 'SUCCEED';

export function roleOf(model: Model, deployment: CurrentDeployment | null | undefined): ModelRole | null {
  if (!deployment) return null;
  const isGenerator = deployment.generator?.model_id === model.model_id;
  const isRanker = deployment.ranker?.model_id === model.model_id;
  if (isGenerator && isRanker) return 'generator and ranker';
  return isGenerator ? 'generator' : isRanker ? 'ranker' : null;
}
