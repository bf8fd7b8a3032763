// Lets a Spark cluster count over all events of a training. What is chosen on held-out events is counted here, on a sample.

import { SparkAggregation } from '../aggregation/spark/spark-aggregation.ts';
import type { SparkSettings } from '../aggregation/spark/spark-application.ts';
import type { Aggregate } from '../training/fit-model.ts';
import type { JobContext } from './job-handler.ts';

/** Where counting is in the progress of a training: see fit-model.ts. */
const FROM = 0.65;
const SHARE = 0.25;

/** `keptAs`: names the histories that are kept for the next training. */
export function countOnSpark(
  context: JobContext,
  settings: SparkSettings & { blobsUrl: string },
  keptAs: string,
): Aggregate {
  const { blobs, scratchDir, attemptId: runId, signal, log, progress } = context;
  return async (histories, work) => {
    let announced = '';
    const aggregation = await SparkAggregation.create(
      {
        ...{ settings, blobs, blobsUrl: settings.blobsUrl, scratchDir, runId, signal, keptAs },
        onProgress: ({ applicationId, address, tasksDone, tasks }) => {
          if (announced !== applicationId) log.info({ application: applicationId, address }, 'counting on Spark');
          announced = applicationId;
          const message = `Spark application ${applicationId}: ${tasksDone} of ${tasks} tasks (${address})`;
          progress({ fraction: FROM + (SHARE * tasksDone) / Math.max(1, tasks), phase: 'fit', message });
        },
      },
      histories,
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
