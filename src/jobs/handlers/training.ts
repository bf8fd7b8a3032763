// Training: the project's events become a model file and, once the job has succeeded, a model row.
import { join } from 'node:path';
import { loadModel, saveModel } from '../../artifact/g1-file.ts';
import { plural } from '../../base/plural.ts';
import { traced } from '../../base/trace.ts';
import type { AlgorithmParameters } from '../../domain/algorithm-parameters.ts';
import { newId } from '../../domain/ids.ts';
import { JobFailure } from '../../domain/job.ts';
import { parseAlgorithmParameters } from '../../domain/parse-algorithm-parameters.ts';
import type { AlgorithmType } from '../../domain/project.ts';
import { AppError } from '../../errors.ts';
import { datasetOfJob, projectOfJob } from '../../pieces/job-project.ts';
import { MODEL_PREFIX } from '../../store/blob-store.ts';
import type { Publication } from '../../store/job-queue.ts';
import type { Rival } from '../../training/compare-models.ts';
import { type TrainedModel, type TrainingFacts, trainModel } from '../../training/train-model.ts';
import { SparkCounting } from '../count-on-spark.ts';
import type { JobContext } from '../job-handler.ts';

export interface TrainingJobData extends Record<string, unknown> {
  algorithm_id: string;
  algorithm_type: AlgorithmType;
  algorithm_parameters: Record<string, unknown>;
  /** whether the job's result says how the new model compares with the deployed one */
  compare_with_deployed?: boolean;
}

export async function train(context: JobContext): Promise<Publication> {
  const { job, store, blobs, scratchDir, signal, runtime } = context;
  const data = job.job_data as TrainingJobData;
  const project = await projectOfJob(store, job);
  const [events, users] = await Promise.all([
    datasetOfJob(store, project, 'event'),
    store.datasets.get(job.account_id, 'user', project.user_dataset_id),
  ]);

  const { dataset_id: datasetId } = events;
  const spark = context.config.spark ? new SparkCounting(context, context.config.spark) : null;
  const progress = spark?.progress ?? context.progress;
  const erasures = spark === null ? 0 : await store.datasets.erasures([datasetId]);
  const trained = await traced('train model', async () =>
    trainModel({
      store,
      project,
      eventShards: events.num_shards,
      userSchema: users?.attribute_schema ?? null,
      eventSchema: events.attribute_schema,
      parameters: readParameters(data.algorithm_parameters),
      ...(spark && { aggregate: spark.aggregateFor({ datasetId, algorithmId: data.algorithm_id, erasures }) }),
      ...(context.config.trainingMemoryMb && { memoryBytes: context.config.trainingMemoryMb * 1e6 }),
      scratchDir,
      rival: data.compare_with_deployed ? await deployedRival(context) : null,
      onProgress: progress,
      signal,
      runtime,
    }),
  );
  signal.throwIfAborted();

  progress({ fraction: 0.98, phase: 'save', message: 'Writing the model file.' });
  const modelId = newId('model', runtime);
  const artifactKey = `${MODEL_PREFIX}${modelId}.kindred`;
  const file = join(scratchDir, 'model.kindred');
  await traced('save model', () => saveModel(file, trained.model));
  await traced('store model file', () => blobs.putFile(artifactKey, file));

  return {
    result: { ...resultOf(modelId, trained), ...(spark?.run && { spark: spark.run }) },
    model: {
      account_id: job.account_id,
      project_id: job.project_id,
      model_id: modelId,
      name: job.name,
      algorithm_type: data.algorithm_type,
      algorithm_parameters: data.algorithm_parameters,
      created_ts: runtime.nowMs(),
      job_id: job.job_id,
      artifact_key: artifactKey,
      metrics: trained.metrics,
      training: trained.training,
    },
  };
}

export function resultOf(
  modelId: string,
  { comparison, training }: Pick<TrainedModel, 'comparison'> & { training: Pick<TrainingFacts, LeftOut> },
): Record<string, unknown> {
  return {
    model_id: modelId,
    ...(training.items_left_out && { message: leftOutText(training.items_left_out, training.items) }),
    ...(comparison && { comparison }),
  };
}

type LeftOut = 'items' | 'items_left_out';

function leftOutText(leftOut: number, items: number): string {
  const others = plural(leftOut, 'item with fewer users', 'items with fewer users');
  return `The model learned from the events of ${plural(items, 'item')}, those with the most users. ${others} did not fit in memory: they are recommended by their attributes, like new items. To include more, give trainings more memory (docs/scale.md).`;
}

/** Returns null if nothing is deployed, or if its file cannot be read, so that there is nothing to compare with. */
async function deployedRival({ job, store, blobs, log }: JobContext): Promise<Rival | null> {
  const deployment = await store.deployments.active(job.account_id, job.project_id);
  if (deployment === null) return null;
  const modelId = deployment.generator_model_id;
  const record = await store.models.get(job.account_id, job.project_id, modelId);
  if (record === null) return null;
  try {
    const { model } = await loadModel(await blobs.localFile(record.artifact_key));
    // Models of earlier versions do not store it. They were trained before their creation time.
    const { trained_until_ts: until } = record.training;
    return { modelId, model, trainedUntilMs: typeof until === 'number' ? until : record.created_ts };
  } catch (error) {
    log.warn({ err: error, model_id: modelId }, 'the deployed model cannot be compared with the new one');
    return null;
  }
}

/** The parameters were checked when the algorithm was created, but perhaps by another version. Drops "auto". */
function readParameters(given: Record<string, unknown>): AlgorithmParameters {
  try {
    return parseAlgorithmParameters(given);
  } catch (error) {
    if (error instanceof AppError) throw new JobFailure(error.code, error.message);
    throw error;
  }
}
