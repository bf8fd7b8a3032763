// Clustering: groups of users with similar taste.
import { ErasureGuard } from '../../insight/results/erasure-guard.ts';
import { runClustering } from '../../insight/run-clustering.ts';
import type { Publication } from '../../store/job-queue.ts';
import type { JobContext } from '../job-handler.ts';

export async function cluster(context: JobContext): Promise<Publication> {
  const erasures = await ErasureGuard.begin(context.store, context.job);
  const result = await runClustering({ ...context, erasures });
  return { result, ...(erasures && { erasures: erasures.state }) };
}
