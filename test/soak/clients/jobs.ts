// Jobs as clients submit them, wait for them, cancel them and watch them on every node.
import { setTimeout as delay } from 'node:timers/promises';
import type { CallResponse } from '../../support/service.ts';
import type { TimedResponse } from '../calls.ts';
import { isEnded } from '../histories/job-history.ts';
import type { ApiPlace } from '../nodes.ts';
import type { ClientParts } from './client.ts';

type JobParts = Pick<ClientParts, 'calls' | 'nodes' | 'ledger' | 'jobs'>;

const POLL_MS = 200;
const PAGE = 20;

let submitted = 0;

/** Submits it once, also when a response is lost: the job's name tells whether it is there. Returns its id. */
async function submitJob(
  { calls, nodes, ledger }: JobParts,
  path: string,
  body: { project_id: string; [field: string]: unknown },
): Promise<string> {
  const name = `soak ${++submitted}`;
  ledger.counts.jobs++;
  for (let attempt = submitted; ; attempt++) {
    const place = nodes.apis[attempt % nodes.apis.length];
    const response = await calls.once('job submission', place, (api) => api.call('POST', path, { ...body, name }));
    if (response?.status === 200) return response.body.job_id;
    if (response !== null) throw new Error(`${path} was refused: ${JSON.stringify(response.body)}`);
    await delay(POLL_MS);
    const listed = await calls.untilAcknowledged('job read', (api) =>
      api.call('GET', '/list-jobs', { project_id: body.project_id, page_size: String(PAGE) }),
    );
    const found = listed.body.jobs.find((job: { name: string }) => job.name === name);
    if (found) return found.job_id;
  }
}

/** The job when it has ended. */
export async function endOf(
  { calls, jobs }: JobParts,
  project_id: string,
  job_id: string,
): Promise<CallResponse['body']> {
  for (let round = 0; ; round++) {
    const response = await calls.untilAcknowledged(
      'job read',
      (api) => api.call('GET', '/get-job', { project_id, job_id }),
      { first: round },
    );
    jobs.read(response);
    if (isEnded(response.body)) return response.body;
    await delay(POLL_MS);
  }
}

/** Submits the job, waits and returns its result; null: faults ended it. */
export async function resultOf(
  parts: JobParts,
  path: string,
  body: { project_id: string; [field: string]: unknown },
): Promise<CallResponse['body'] | null> {
  const { nodes, ledger } = parts;
  const sinceMs = performance.now();
  const job = await endOf(parts, body.project_id, await submitJob(parts, path, body));
  if (job.job_status === 'SUCCEED') return job.job_result;
  ledger.counts.failedJobs++;
  // A node that cannot reach the artifacts cannot load a model, and says so.
  const isUnloaded =
    job.failure_reason?.code === 'MODEL_UNREADABLE' &&
    nodes.apis.some(
      ({ disturbances }) => disturbances.causeOf(sinceMs, performance.now(), (cause) => cause === 'artifacts') !== null,
    );
  if (job.retry_count < 3 && !isUnloaded)
    ledger.complain(`${path} ended ${job.job_status}: ${JSON.stringify(job.failure_reason)}`);
  return null;
}

/** Submits trainings and cancels them, at once or after a while. What is cancelled stays so, and publishes nothing (check.ts). */
export async function cancelTrainings(parts: ClientParts): Promise<void> {
  const { calls, jobs, ledger, project, stopped, pauses, pick } = parts;
  const { project_id, algorithm_id } = project;
  while (!stopped()) {
    const job_id = await submitJob(parts, '/submit-training-job', { project_id, algorithm_id });
    await delay(pick(2500));
    const response = await calls.untilAcknowledged(
      'job cancellation',
      (api) => api.call('POST', '/cancel-job', { project_id, job_id }),
      { first: pick(2), wanted: [200, 409] },
    );
    if (response.status === 200) cancelled(parts, response);
    // Had ended already, perhaps by a cancellation whose response was lost.
    else jobs.read(await ended(parts, project_id, job_id));
    ledger.counts.cancelledJobs++;
    await delay(1500 * pauses);
  }
}

function cancelled({ jobs, ledger }: JobParts, response: TimedResponse): void {
  if (response.body.job_status !== 'CANCELLED')
    ledger.complain(`a cancelled job is ${response.body.job_status}: ${response.body.job_id}`);
  jobs.read(response);
}

async function ended({ calls, ledger }: JobParts, project_id: string, job_id: string): Promise<TimedResponse> {
  const response = await calls.untilAcknowledged('job read', (api) =>
    api.call('GET', '/get-job', { project_id, job_id }),
  );
  if (!isEnded(response.body))
    ledger.complain(`job ${job_id} could not be cancelled, but is ${response.body.job_status}`);
  return response;
}

/** Reads the newest jobs of all projects on one node. */
export async function watchJobs({ calls, jobs, ledger, stopped, pauses }: ClientParts, place: ApiPlace): Promise<void> {
  while (!stopped()) {
    const response = await calls.once('job read', place, (api) =>
      api.call('GET', '/list-jobs', { page_size: String(PAGE) }),
    );
    if (response !== null) {
      jobs.read(response);
      const automatic = response.body.jobs.filter(
        (job: CallResponse['body']) => job.job_type === 'TRAINING' && job.job_data.automatic && !isEnded(job),
      );
      if (automatic.length > 1) ledger.complain(`${automatic.length} automatic trainings at once`);
    }
    await delay(50 * pauses);
  }
}
