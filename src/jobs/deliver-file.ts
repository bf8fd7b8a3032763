// Writes the file of a job to its destination, if it has one. A job that is canceled meanwhile leaves no file there. An attempt that
// is stopped for another reason leaves it: the next attempt replaces it, and may have done so.
import { destinationOf } from '../domain/destination.ts';
import { JobFailure } from '../domain/job.ts';
import { openDestination } from '../store/open-destination.ts';
import type { JobContext } from './job-handler.ts';

export function deliverTo(
  { job, store, config, signal }: Pick<JobContext, 'job' | 'store' | 'config' | 'signal'>,
  address: string | null,
): ((path: string) => Promise<string>) | null {
  if (address === null) return null;
  const destination = destinationOf(address, config.exportDestinations ?? []);
  if (destination === null) {
    const message = `This worker may not write to ${address}. Set KINDRED_EXPORT_DESTINATIONS on workers too.`;
    throw new JobFailure('DESTINATION_NOT_ALLOWED', message);
  }
  return async (path) => {
    const { place, key } = destination;
    const files = openDestination(place, config.dataDir);
    try {
      await files.putFile(key, path);
    } catch (error) {
      const { name, $metadata } = error as { name?: string; $metadata?: { httpStatusCode?: number } };
      // The store rejects the file, and would do so again.
      if ($metadata === undefined) throw error;
      throw new JobFailure('DESTINATION_REFUSED', `${address} was refused: ${name} (${$metadata.httpStatusCode}).`);
    }
    // The signal comes some seconds after a cancellation. Every attempt checks after it has written, so the last one removes the
    // file.
    const { job_status } = (await store.jobs.get(job.account_id, job.project_id, job.job_id)) ?? {};
    if (job_status === 'CANCELLED') await files.delete(key);
    signal.throwIfAborted();
    if (job_status === 'CANCELLED') throw new JobFailure('CANCELLED', 'The job was canceled.');
    return address;
  };
}
