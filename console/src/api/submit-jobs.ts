// The jobs the console submits from more than one place.
import type { Kindred, Model } from '../../../src/client/index.ts';

/** Names of jobs carry the visitor's time: "Nov 15, 20:36". */
export function minuteInWords(now: Date = new Date()): string {
  return now.toLocaleString('en-US', {
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
}

export function defaultTrainingName(): string {
  return `G1, ${minuteInWords()}`;
}

export async function submitTraining(
  client: Kindred,
  projectId: string,
  name: string = defaultTrainingName(),
  parameters: Record<string, unknown> = {},
): Promise<string> {
  const { algorithm_id } = await client.createAlgorithm({
    project_id: projectId,
    name,
    algorithm_type: 'G1',
    algorithm_parameters: parameters,
  });
  return (await client.submitTrainingJob({ project_id: projectId, algorithm_id, name })).job_id;
}

export async function submitDeployment(
  client: Kindred,
  generator: Model,
  { rankerId, qps }: { rankerId?: string; qps?: number } = {},
): Promise<string> {
  const { job_id } = await client.submitDeploymentJob({
    project_id: generator.project_id,
    name: `Deploy ${generator.name}`.slice(0, 128),
    generator_model_id: generator.model_id,
    ...(rankerId === undefined ? {} : { ranker_model_id: rankerId }),
    ...(qps === undefined ? {} : { qps }),
  });
  return job_id;
}
