// Querying: which users prefer an attribute value, or the distribution of usage over users.
import { ErasureGuard } from '../../insight/results/erasure-guard.ts';
import { runQuerying } from '../../insight/run-querying.ts';
import type { Publication } from '../../store/job-queue.ts';
import type { JobContext } from '../job-handler.ts';

export async function query(context: JobContext): Promise<Publication> {
  const erasures = await ErasureGuard.begin(context.store, context.job);
  const result = await runQuerying({ ...context, erasures });
  return { result, ...(erasures && { erasures: erasures.state }) };
}
