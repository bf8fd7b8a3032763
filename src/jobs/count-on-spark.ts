// Lets a Spark cluster count over all events of a training. What is chosen on held-out events is counted here, on a sample.

import { SparkAggregation } from '../aggregation/spark/spark-aggregation.ts';
import type { SparkProgress, SparkSettings } from '../aggregation/spark/spark-application.ts';
import type { JobProgress, SparkRun } from '../domain/job.ts';
import type { TrainModelInput } from '../training/train-model.ts';
import type { JobContext } from './job-handler.ts';

interface KeptFor {
  readonly datasetId: string;
  readonly algorithmId: string;
  readonly erasures: number;
}

export class SparkCounting {
  readonly #context: JobContext;
  readonly #settings: SparkSettings & { blobsUrl: string };
  #told: JobProgress = { fraction: 0, phase: '', message: '' };
  #run: SparkRun | null = null;

  constructor(context: JobContext, settings: SparkSettings & { blobsUrl: string }) {
    this.#context = context;
    this.#settings = settings;
  }

  /** The last application that counted; null if there was none. */
  get run(): SparkRun | null {
    return this.#run;
  }

  /** Reports the job's progress, from now on with the application. */
  readonly progress = (told: JobProgress): void => {
    this.#told = this.#run === null ? told : { ...told, spark: this.#run };
    this.#context.progress(this.#told);
  };

  /** Histories are kept for the next training of the algorithm, but not if a user of the events was deleted since `erasures` were counted. */
  aggregateFor({ datasetId, algorithmId, erasures }: KeptFor): NonNullable<TrainModelInput['aggregate']> {
    const { store, blobs, scratchDir, attemptId: runId, signal, log } = this.#context;
    const kept = {
      name: `${datasetId}/${algorithmId}`,
      mayStay: async () => (await store.datasets.erasures([datasetId])) === erasures,
    };
    return (numbers) => async (histories, work) => {
      const settings = this.#settings;
      const aggregation = await SparkAggregation.create(
        {
          settings,
          blobs,
          blobsUrl: settings.blobsUrl,
          scratchDir,
          runId,
          signal,
          kept,
          onProgress: (progress) => this.#hear(progress),
        },
        histories,
        numbers,
      );
      const { keys, written } = aggregation.files;
      log.info({ files: keys.length, written: written.length }, 'histories are in the artifact store');
      try {
        return await work(aggregation);
      } finally {
        await aggregation.close();
      }
    };
  }

  /**
   * Leaves the training's share of finished work unchanged, because the number of tasks of the next count is unknown.
   */
  #hear({ applicationId, address, tasksDone, tasks }: SparkProgress): void {
    if (this.#run?.application_id !== applicationId) {
      this.#context.log.info({ application: applicationId, address }, 'counting on Spark');
    }
    this.#run = { application_id: applicationId, address };
    this.progress({ ...this.#told, message: `Counting on Spark: ${tasksDone} of ${tasks} tasks` });
  }
}
