// Training: the project's events become a model file and, once the job has succeeded, a model row.
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { saveModel } from '../../artifact/g1-file.ts';
import type { AlgorithmParameters } from '../../domain/algorithm-parameters.ts';
import { newId } from '../../domain/ids.ts';
import { JobFailure } from '../../domain/job.ts';
import { parseAlgorithmParameters } from '../../domain/parse-algorithm-parameters.ts';
import type { AlgorithmType } from '../../domain/project.ts';
import { AppError } from '../../errors.ts';
import { MODEL_PREFIX } from '../../store/blob-store.ts';
import type { Publication } from '../../store/job-queue.ts';
import { trainModel } from '../../training/train-model.ts';
import type { JobContext } from '../job-handler.ts';

const MS_PER_HOUR = 3_600_000;

export interface TrainingJobData extends Record<string, unknown> {
  algorithm_id: string;
  algorithm_type: AlgorithmType;
  algorithm_parameters: Record<string, unknown>;
}

export async function train({ job, store, blobs, scratchDir, progress, signal }: JobContext): Promise<Publication> {
  const startedMs = performance.now();
  const data = job.job_data as TrainingJobData;
  const project = await store.projects.get(job.account_id, job.project_id);
  if (project === null) throw new JobFailure('PROJECT_NOT_FOUND', 'The project was deleted before the job ran.');
  const [events, users] = await Promise.all([
    store.datasets.get(job.account_id, 'event', project.event_dataset_id),
    store.datasets.get(job.account_id, 'user', project.user_dataset_id),
  ]);
  if (events === null) throw new JobFailure('DATASET_NOT_FOUND', 'The event dataset was deleted before the job ran.');

  const trained = await trainModel({
    store,
    project,
    eventShards: events.num_shards,
    userSchema: users?.attribute_schema ?? null,
    eventSchema: events.attribute_schema,
    parameters: readParameters(data.algorithm_parameters),
    onProgress: progress,
    signal,
  });
  signal.throwIfAborted();

  progress({ fraction: 0.98, phase: 'save', message: 'Writing the model file.' });
  const modelId = newId('model');
  const artifactKey = `${MODEL_PREFIX}${modelId}.kindred`;
  const file = join(scratchDir, 'model.kindred');
  await saveModel(file, trained.model);
  await blobs.putFile(artifactKey, file);

  return {
    result: { model_id: modelId },
    trainingHours: (performance.now() - startedMs) / MS_PER_HOUR,
    model: {
      account_id: job.account_id,
      project_id: job.project_id,
      model_id: modelId,
      name: job.name,
      algorithm_type: data.algorithm_type,
      algorithm_parameters: data.algorithm_parameters,
      created_ts: Date.now(),
      job_id: job.job_id,
      artifact_key: artifactKey,
      metrics: trained.metrics,
      training: trained.training,
    },
  };
}

/** They were checked when the algorithm was created, perhaps by another version. Drops "auto". */
function readParameters(given: Record<string, unknown>): AlgorithmParameters {
  try {
    return parseAlgorithmParameters(given);
  } catch (error) {
    if (error instanceof AppError) throw new JobFailure(error.code, error.message);
    throw error;
  }
}
