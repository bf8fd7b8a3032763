// What all nodes said about each job: its status never goes back, and an end is final, with the same result everywhere. A retry
// counts as progress: a job that waits again has a higher `retry_count`.
import type { CallResponse } from '../../support/service.ts';
import type { TimedResponse } from '../calls.ts';
import type { Ledger } from '../ledger.ts';

type JobResponse = CallResponse['body'];

interface Seen {
  /** each rank that was the highest so far, with the time from which on no call may return a lower one */
  readonly ranks: { rank: number; sinceMs: number }[];
  end: string | null;
  readonly endSeenBy: Set<string>;
}

export class JobHistory {
  readonly #ledger: Ledger;
  readonly #seen = new Map<string, Seen>();
  #reads = 0;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** Call it as soon as the response is there, which is about one job or a list of some. */
  read({ body, calledMs, returnedMs, place }: TimedResponse): void {
    for (const job of (body.jobs ?? [body]) as JobResponse[]) {
      this.#reads++;
      const seen = this.#of(job.job_id);
      const rank = rankOf(job);
      const before = seen.ranks.find((one) => one.rank > rank && one.sinceMs < calledMs);
      if (before)
        this.#ledger.complain(`${place.name}: job ${job.job_id} went back to ${job.job_status} (${job.retry_count})`);
      if (rank > (seen.ranks.at(-1)?.rank ?? -1)) seen.ranks.push({ rank, sinceMs: returnedMs });
      if (!isEnded(job)) continue;
      seen.end ??= endOf(job);
      seen.endSeenBy.add(place.name);
      if (seen.end !== endOf(job))
        this.#ledger.complain(`${place.name}: job ${job.job_id} ended ${endOf(job)}, before that ${seen.end}`);
    }
  }

  get counts(): { jobReads: number; endsSeenOnAllNodes: number } {
    const ends = [...this.#seen.values()].filter(({ endSeenBy }) => endSeenBy.size > 1);
    return { jobReads: this.#reads, endsSeenOnAllNodes: ends.length };
  }

  #of(jobId: string): Seen {
    const seen = this.#seen.get(jobId) ?? { ranks: [], end: null, endSeenBy: new Set() };
    this.#seen.set(jobId, seen);
    return seen;
  }
}

export const isEnded = ({ job_status }: JobResponse): boolean => !['PENDING', 'RUNNING'].includes(job_status);

function rankOf(job: JobResponse): number {
  if (isEnded(job)) return Number.POSITIVE_INFINITY;
  return 2 * job.retry_count + (job.job_status === 'RUNNING' ? 1 : 0);
}

/** Without the links, which lead to the node that was asked. */
function endOf({ job_status, job_result, finished_ts, failure_reason }: JobResponse): string {
  const { serving_uri: _, download_url: __, ...result } = job_result ?? {};
  return JSON.stringify([job_status, finished_ts, result, failure_reason]);
}
