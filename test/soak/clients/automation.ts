// A second project over the same datasets, which trains and deploys by itself while a person shuts it down and deploys again.
import { setTimeout as delay } from 'node:timers/promises';
import type { ApiCaller, CallResponse } from '../../support/service.ts';
import type { TasteProject } from '../../support/taste-project.ts';
import { isEnded } from '../histories/job-history.ts';
import { hadDatabase } from '../nodes.ts';
import { listOf } from './ask.ts';
import type { ClientParts } from './client.ts';
import { shutDown } from './deploy.ts';
import { resultOf } from './jobs.ts';

const AUTOMATION = { retrain: { after_new_events: 500 }, deploy: 'always', keep_models: 3 };
const LOOKS_WHILE_DOWN = 6;

export async function createAutomatedProject(api: ApiCaller, project: TasteProject): Promise<string> {
  const { user_dataset_id, item_dataset_id, event_dataset_id } = project;
  const { project_id } = await api.ok('POST', '/create-project', {
    name: 'automated',
    project_type: 'RECOMMEND_ITEMS_TO_USER',
    target_event_type: 'buy',
    user_dataset_id,
    item_dataset_id,
    event_dataset_id,
    automation: AUTOMATION,
  });
  await api.ok('POST', '/create-algorithm', { project_id, name: 'a', algorithm_type: 'G1' });
  return project_id;
}

/** Automation must not deploy what a person has shut down. */
export async function shutDownAutomated(parts: ClientParts, project_id: string): Promise<void> {
  const { calls, ledger, nodes, stopped, pauses } = parts;
  for (let shutdowns = 0; !stopped() || (shutdowns === 0 && !(await waitsAfterFailure(parts, project_id))); ) {
    const { status } = await calls.untilAcknowledged(
      'deployment read',
      (api) => api.call('GET', '/get-deployment', { project_id }),
      { wanted: [200, 409] },
    );
    if (status === 200) {
      await delay(300 * pauses);
      await shutDown(parts, project_id);
      shutdowns++;
      for (let look = 0; look < LOOKS_WHILE_DOWN; look++) {
        for (const place of nodes.apis) {
          const list = await listOf(parts, place, project_id, `u${look}`);
          if (list === null || list.modelId === null) continue;
          if (!hadDatabase(nodes, place, list.calledMs, list.returnedMs)) continue;
          ledger.complain(`${place.name} recommends with ${list.modelId} in a project that was shut down`);
        }
        await delay(30 * pauses);
      }
    }
    await deployNewest(parts, project_id);
    await delay(500 * pauses);
  }
}

/** After a training that failed, automation waits for minutes: there is nothing to shut down until then. */
async function waitsAfterFailure({ calls }: ClientParts, project_id: string): Promise<boolean> {
  const { body } = await calls.untilAcknowledged('deployment read', (api) =>
    api.call('GET', '/get-automation-status', { project_id }),
  );
  return body.failures > 0;
}

async function deployNewest(parts: ClientParts, project_id: string): Promise<void> {
  const { body } = await parts.calls.untilAcknowledged('model read', (api) =>
    api.call('GET', '/list-models', { project_id, page_size: '1' }),
  );
  // The first one comes by itself.
  const [newest] = body.models;
  if (newest === undefined) return;
  const deployment = { project_id, generator_model_id: newest.model_id, qps: 10_000 };
  await resultOf(parts, '/submit-deployment-job', deployment);
}

/** Waits until automation has nothing left to do, and nobody else has. */
export async function untilAllRests(api: ApiCaller, project_id: string): Promise<void> {
  for (;;) {
    const { training_job_id, new_events, failures } = await api.ok('GET', '/get-automation-status', { project_id });
    const { jobs } = await api.ok('GET', '/list-jobs');
    const open = jobs.filter((job: CallResponse['body']) => !isEnded(job));
    const isDue = new_events >= AUTOMATION.retrain.after_new_events && failures === 0;
    if (open.length === 0 && training_job_id === null && !isDue) return;
    await delay(200);
  }
}

/** Each training has one decision, about its own model, and what automation keeps is there. */
export function wrongDecisions(
  decisions: CallResponse['body'][],
  jobs: CallResponse['body'][],
  models: string[],
): string[] {
  const wrong: string[] = [];
  const jobOf = new Map(jobs.map((job) => [job.job_id, job]));
  const decided = new Map(decisions.map((decision) => [decision.training_job_id, decision]));
  if (decided.size !== decisions.length) wrong.push('automation decided twice about one training');
  const trainings = jobs.filter(({ job_type, job_status }) => job_type === 'TRAINING' && job_status === 'SUCCEED');
  for (const { job_id, job_result } of trainings) {
    const decision = decided.get(job_id);
    if (decision === undefined) wrong.push(`automation did not decide about training ${job_id}`);
    else if (decision.model_id !== job_result.model_id) wrong.push(`the decision about ${job_id} has another model`);
  }
  const deployments = decisions.filter(({ decision }) => decision === 'deploy').map((one) => one.deployment_job_id);
  for (const id of deployments)
    if (!jobOf.has(id)) wrong.push(`automation decided on deployment ${id}, which is not there`);
  if (new Set(deployments).size !== deployments.length) wrong.push('one automatic deployment has two decisions');
  const newest = trainings
    .map(({ job_result }) => job_result.model_id as string)
    .sort()
    .slice(-AUTOMATION.keep_models);
  for (const id of newest) if (!models.includes(id)) wrong.push(`automation did not keep model ${id}`);
  return wrong;
}
