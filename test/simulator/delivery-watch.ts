// What must hold of deliveries to a webhook: one is written in the transaction that ends a job, and goes when it was made.
import type { JobWatch, WatchParts } from './job-watch.ts';
import type { Receiver } from './receiver.ts';

export class DeliveryWatch {
  readonly #parts: WatchParts;
  readonly #jobs: JobWatch;
  readonly #receiver: Receiver;
  readonly #ended = new Set<string>();

  constructor(parts: WatchParts, jobs: JobWatch, receiver: Receiver) {
    this.#parts = parts;
    this.#jobs = jobs;
    this.#receiver = receiver;
  }

  look(): void {
    const { shared, counts, broken } = this.#parts;
    for (const id of shared.changes.jobs) this.#lookAtJob(id);
    for (const id of shared.changes.deliveries) {
      counts.delivered++;
      if (!this.#receiver.taken.has(id)) broken(`delivery ${id} is gone, and nobody got it`);
    }
  }

  #lookAtJob(id: string): void {
    const { shared, broken } = this.#parts;
    const job = this.#jobs.jobs.get(id);
    if (job === undefined || job.end === null || job.parent !== null || this.#ended.has(id)) return;
    this.#ended.add(id);
    // Before there was a webhook.
    if (job.seenMs === 0) return;
    const isTold =
      job.status === 'FAILED' || (job.status === 'SUCCEED' && ['TRAINING', 'DEPLOYMENT'].includes(job.type));
    const deliveries = shared.rows('SELECT 1 FROM webhook_delivery WHERE job_id = ?', id).length;
    if (deliveries !== Number(isTold)) broken(`${job.type} job ${id} is ${job.status} with ${deliveries} deliveries`);
  }
}
