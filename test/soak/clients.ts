// The clients that keep working while faults strike: they write, delete, train, deploy and ask. A write is repeated until it
// is acknowledged. A recommendation call is not repeated: it must succeed unless its node or the database was disturbed.
import { setTimeout as delay } from 'node:timers/promises';
import type { ApiCaller, CallAnswer } from '../support/service.ts';
import type { TasteProject } from '../support/taste-project.ts';
import type { Bystander } from './bystander.ts';
import type { Ledger } from './ledger.ts';
import type { ApiPlace, Nodes } from './nodes.ts';

const CALL_TIMEOUT_MS = 15_000;
const BATCH = 50;

export interface ClientParts {
  nodes: Nodes;
  project: TasteProject;
  ledger: Ledger;
  bystander: Bystander;
  stopped: () => boolean;
  /** multiplies the pauses between a client's calls: 1 for a machine that has nothing else to do */
  pauses: number;
}

/** Writes batch after batch of events of its own users; now and then deletes all events of one of them. */
export async function writeAndDelete(parts: ClientParts, client: number): Promise<void> {
  const { nodes, project, ledger, stopped, pauses } = parts;
  const { event_dataset_id } = project;
  for (let round = 0; !stopped(); round++) {
    const user_id = `soak-${client}-${round % 7}`;
    const events = Array.from({ length: BATCH }, (_, n) => ({
      event_id: `soak-${client}-${round}-${n}`,
      user_id,
      item_id: `i${(client + round * BATCH + n) % 60}`,
      ts: 1_710_000_000_000 + round * 1000 + n,
      event_type: 'view',
    }));
    const answer = await untilAcknowledged({ nodes, ledger, first: round }, (api) =>
      api.call('POST', '/upsert-dataset-events', { event_dataset_id, events }),
    );
    if (answer.body.failed_ids.length > 0) ledger.complain(`upsert refused ${JSON.stringify(answer.body.failures)}`);
    ledger.stored(answer.body.succeed_ids, user_id);
    if (round % 5 === 4) {
      await untilAcknowledged({ nodes, ledger, first: round }, (api) =>
        api.call('DELETE', '/delete-dataset-user-events', { event_dataset_id, user_id }),
      );
      ledger.userDeleted(user_id);
    }
    await delay(20 * pauses);
  }
}

/** Asks one node again and again. */
export async function ask(parts: ClientParts, place: ApiPlace): Promise<void> {
  const { nodes, project, ledger, stopped, pauses, bystander } = parts;
  const path = `/projects/${project.project_id}/recommend-items-to-user`;
  for (let round = 0; !stopped(); round++) {
    const fromMs = performance.now();
    const failure = await within(place.current.caller.call('POST', path, { user_id: `u${round % 60}` })).then(
      ({ status, body }) => {
        if (status !== 200) return `returned ${status} ${JSON.stringify(body)}`;
        return body.results.length === 10 ? null : `returned ${body.results.length} items`;
      },
      (error) => String(error?.cause ?? error),
    );
    const toMs = performance.now();
    ledger.counts.recommendations++;
    if (failure !== null) {
      if (place.disturbances.excuses(fromMs, toMs) || nodes.shared.excuses(fromMs, toMs)) ledger.counts.excused++;
      else if (bystander.wasStarved(fromMs)) ledger.counts.starved++;
      else ledger.complain(`recommendation on ${place.name}: ${failure}`);
    }
    await delay(5 * pauses);
  }
}

/** Trains, deploys what came out, and deletes models that have been replaced. */
export async function trainAndDeploy({ nodes, project, ledger, stopped, pauses }: ClientParts): Promise<void> {
  const { project_id, algorithm_id } = project;
  /** A node that cannot reach the artifacts cannot load a model, and says so. */
  const lostItsArtifacts = (sinceMs: number): boolean =>
    nodes.apis.some(({ disturbances }) => disturbances.excuses(sinceMs, performance.now()));
  /** Returns the job's result, or null if faults ended it. */
  const submit = async (path: string, body: object): Promise<CallAnswer['body'] | null> => {
    const { body: submitted } = await untilAcknowledged({ nodes, ledger }, (api) => api.call('POST', path, body));
    ledger.counts.jobs++;
    const sinceMs = performance.now();
    for (;;) {
      const { body: job } = await untilAcknowledged({ nodes, ledger }, (api) =>
        api.call('GET', '/get-job', { project_id, job_id: submitted.job_id }),
      );
      if (job.job_status === 'SUCCEED') return job.job_result;
      if (!['PENDING', 'RUNNING'].includes(job.job_status)) {
        const isUnloaded = job.failure_reason?.code === 'MODEL_UNREADABLE' && lostItsArtifacts(sinceMs);
        if (job.retry_count < 3 && !isUnloaded)
          ledger.complain(`${path} ended ${job.job_status}: ${JSON.stringify(job.failure_reason)}`);
        return null;
      }
      await delay(200);
    }
  };
  let previous: string | null = null;
  while (!stopped()) {
    const trained = await submit('/submit-training-job', { project_id, algorithm_id, name: 'soak' });
    if (trained === null) continue;
    const { model_id } = trained;
    const deployed = await submit('/submit-deployment-job', { project_id, generator_model_id: model_id, qps: 10_000 });
    if (deployed === null) continue;
    if (previous !== null) {
      const model_id = previous;
      const { status, body } = await untilAcknowledged(
        { nodes, ledger },
        (api) => api.call('DELETE', '/delete-model', { project_id, model_id }),
        // Repeated after a response that was lost: it is gone already.
        [200, 404],
      );
      if (status === 200 || body.code === 'MODEL_NOT_FOUND') ledger.modelsDeleted.add(model_id);
    }
    previous = model_id;
    await delay(500 * pauses);
  }
}

/** Sends the call, to one node after the other, until it returns one of the statuses. */
export async function untilAcknowledged(
  { nodes, ledger, first = 0 }: { nodes: Pick<Nodes, 'apis'>; ledger: Ledger; first?: number },
  send: (api: ApiCaller) => Promise<CallAnswer>,
  wanted: readonly number[] = [200],
): Promise<CallAnswer> {
  for (let attempt = first; ; attempt++) {
    const { apis } = nodes;
    const answer = await within(send(apis[attempt % apis.length].current.caller)).catch(() => null);
    if (answer !== null && wanted.includes(answer.status)) return answer;
    if (answer !== null && answer.status < 500 && answer.status !== 429) {
      throw new Error(`refused: ${answer.status} ${JSON.stringify(answer.body)}`);
    }
    ledger.counts.repeats++;
    await delay(100);
  }
}

/** A paused node does not respond: after a while the call is given up. */
export async function within(answer: Promise<CallAnswer>): Promise<CallAnswer> {
  answer.catch(() => {});
  const timeout = new AbortController();
  try {
    return await Promise.race([
      answer,
      delay(CALL_TIMEOUT_MS, undefined, { signal: timeout.signal }).then(() => {
        throw new Error(`no response in ${CALL_TIMEOUT_MS} ms`);
      }),
    ]);
  } finally {
    timeout.abort();
  }
}
