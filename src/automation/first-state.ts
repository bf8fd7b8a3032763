// The state of an automated project before its first step: what its newest model was trained on is not new.
import type { AutomatedProject, AutomationState } from '../store/automation-store.ts';
import type { Store } from '../store/store.ts';
import { type CountedModel, countFrom } from './retraining.ts';

type ModelStores = Pick<Store, 'jobs' | 'models'>;

export async function firstState(stores: ModelStores, one: AutomatedProject, nowMs: number): Promise<AutomationState> {
  return {
    revision: 0,
    training_job_id: null,
    failures: 0,
    not_before_ts: 0,
    message: null,
    ...countFrom(await newestModel(stores, one), one.events, nowMs),
  };
}

export async function newestModel(
  { jobs, models }: ModelStores,
  { project, newestModelId }: AutomatedProject,
): Promise<CountedModel | null> {
  if (newestModelId === null) return null;
  const { account_id, project_id } = project;
  const model = await models.get(account_id, project_id, newestModelId);
  if (model === null) return null;
  const job = await jobs.get(account_id, project_id, model.job_id);
  const { events_read } = model.training;
  return {
    modelId: newestModelId,
    submittedMs: job?.created_ts ?? model.created_ts,
    eventsRead: typeof events_read === 'number' ? events_read : null,
  };
}
