// Trains, deploys what came out, deletes models that have been replaced, and now and then shuts the project down.
import { setTimeout as delay } from 'node:timers/promises';
import type { ClientParts } from './client.ts';
import { endOf, resultOf } from './jobs.ts';

const SHUTDOWN_EVERY = 3;
/** On a slow machine a soak takes longer rather than leave something out. */
const LEAST_DEPLOYMENTS = 2;

export async function trainAndDeploy(parts: ClientParts): Promise<void> {
  const { project, ledger, serving, stopped, pauses } = parts;
  const { project_id, algorithm_id } = project;
  let previous: string | null = null;
  while (!stopped() || ledger.counts.deployments < LEAST_DEPLOYMENTS) {
    const trained = await resultOf(parts, '/submit-training-job', { project_id, algorithm_id });
    if (trained === null) continue;
    const { model_id } = trained;
    await noDeployments(parts);
    const isSwitched = serving.switches(model_id);
    if (!(await resultOf(parts, '/submit-deployment-job', { project_id, generator_model_id: model_id, qps: 10_000 })))
      continue;
    isSwitched();
    ledger.counts.deployments++;
    if (previous !== null) await deleteModel(parts, previous);
    previous = model_id;
    await delay(500 * pauses);
    if (ledger.counts.deployments % SHUTDOWN_EVERY !== 1) continue;
    await noDeployments(parts);
    const isDown = serving.switches(null);
    await shutDown(parts, project_id);
    isDown();
    await delay(100 * pauses);
  }
}

/** A job whose submission was repeated because it was late must not deploy its model after the next one. */
async function noDeployments(parts: ClientParts): Promise<void> {
  const { project_id } = parts.project;
  const { body } = await parts.calls.untilAcknowledged('job read', (api) =>
    api.call('GET', '/list-jobs', { project_id, job_type: 'DEPLOYMENT', page_size: '5' }),
  );
  for (const { job_id } of body.jobs) await endOf(parts, project_id, job_id);
}

export async function shutDown(
  { calls, ledger, pick }: Pick<ClientParts, 'calls' | 'ledger' | 'pick'>,
  project_id: string,
): Promise<void> {
  // Nothing is deployed after a shutdown whose response was lost, or where the last deployment failed.
  const given = { first: pick(2), wanted: [200, 409] };
  const { status, body } = await calls.untilAcknowledged(
    'shutdown',
    (api) => api.call('DELETE', '/shutdown-deployment', { project_id }),
    given,
  );
  if (status !== 200 && body.code !== 'NO_MODEL_DEPLOYED') ledger.complain(`shutdown: ${JSON.stringify(body)}`);
  ledger.counts.shutdowns++;
}

async function deleteModel({ calls, ledger, project }: ClientParts, model_id: string): Promise<void> {
  const { project_id } = project;
  const { status, body } = await calls.untilAcknowledged(
    'model deletion',
    (api) => api.call('DELETE', '/delete-model', { project_id, model_id }),
    // Repeated after a response that was lost: it is gone already.
    { wanted: [200, 404] },
  );
  if (status === 200 || body.code === 'MODEL_NOT_FOUND') ledger.modelsDeleted.add(model_id);
}
