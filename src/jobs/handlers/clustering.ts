// Clustering: groups of users of like taste.
import { runClustering } from '../../insight/run-clustering.ts';
import type { Publication } from '../../store/job-queue.ts';
import type { JobContext } from '../job-handler.ts';

export async function cluster(context: JobContext): Promise<Publication> {
  return { result: await runClustering(context) };
}
