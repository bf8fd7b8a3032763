// Querying: which users use an attribute value, or how usage is spread over users.
import { runQuerying } from '../../insight/run-querying.ts';
import type { Publication } from '../../store/job-queue.ts';
import type { JobContext } from '../job-handler.ts';

export async function query(context: JobContext): Promise<Publication> {
  return { result: await runQuerying(context) };
}
