// Automated projects in a store that two nodes look at. Jobs are ended by hand, so every test decides how its trainings end.
import assert from 'node:assert/strict';
import { AutomationScheduler } from '../../src/automation/automation-scheduler.ts';
import type { Automation, ModelComparison } from '../../src/domain/automation.ts';
import type { Job, JobType } from '../../src/domain/job.ts';
import type { Model } from '../../src/domain/model.ts';
import type { Project } from '../../src/domain/project.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { newId } from './new-ids.ts';
import { makeAccount, makeDataset, makeEvent } from './store-fixtures.ts';
import { type Dialect, newTestPlace } from './test-database.ts';

export const PAGE = { page_size: 100, page_token: null };

export type AutomatedProjects = Awaited<ReturnType<typeof openAutomatedProjects>>;

export async function openAutomatedProjects(dialect: Dialect) {
  const place = await newTestPlace(dialect);
  // SQLite has one process that serves.
  const stores = [await openStore(place), ...(dialect === 'postgres' ? [await openStore(place)] : [])];
  const [store] = stores;
  const account = await makeAccount(store);
  const deletedFiles: string[] = [];
  const schedulerOf = (one: Store) =>
    new AutomationScheduler({
      store: one,
      log: createLogger('silent'),
      blobs: { delete: async (key) => void deletedFiles.push(key) },
    });

  const look = (nowMs: number) => Promise.all([...nodes, ...nodes].map((node) => node.look(nowMs)));
  /** Until nothing more follows from what is there. */
  const settle = async (nowMs: number) => {
    for (let round = 0; round < 4; round++) await look(nowMs);
  };
  const automated = async (automation: Partial<Automation>, algorithms = 1): Promise<Project> => {
    const [users, items, events] = [
      await makeDataset(store, account, 'user'),
      await makeDataset(store, account, 'item'),
      await makeDataset(store, account, 'event'),
    ];
    const project: Project = {
      account_id: account,
      project_id: newId('project'),
      name: 'p',
      project_type: 'RECOMMEND_ITEMS_TO_USER',
      user_dataset_id: users.dataset_id,
      item_dataset_id: items.dataset_id,
      event_dataset_id: events.dataset_id,
      target_event_type: 'buy',
      created_ts: 1,
      automation: { retrain: { every_hours: 24 }, deploy: 'if_not_worse', keep_models: 10, ...automation },
    };
    assert.equal(await store.projects.create(project), 'created');
    for (let n = 0; n < algorithms; n++) {
      await store.algorithms.create({
        account_id: account,
        project_id: project.project_id,
        algorithm_id: newId('algorithm'),
        name: 'a',
        algorithm_type: 'G1',
        algorithm_parameters: {},
        created_ts: 1,
      });
    }
    return project;
  };
  const addEvents = async ({ event_dataset_id }: Project, from: number, count: number) => {
    const dataset = await store.datasets.get(account, 'event', event_dataset_id);
    const events = Array.from({ length: count }, (_, n) => makeEvent({ event_id: `e${from + n}` }));
    await store.events.upsert(dataset!, events);
  };
  const jobsOf = async ({ project_id }: Project, job_type: JobType): Promise<Job[]> =>
    (await store.jobs.list(account, { project_id, job_type }, PAGE)).entries;
  /** Runs the waiting job of the project, whatever others wait. */
  const claim = async (project: Project, type: JobType) => {
    const held = [];
    for (;;) {
      const claimed = await store.queue.claim('worker', [type], Date.now());
      assert.ok(claimed, `a ${type} of the project waits`);
      if (claimed.job.project_id !== project.project_id) {
        held.push(claimed);
        continue;
      }
      for (const other of held) await store.queue.release(other.lease);
      return claimed;
    }
  };
  const train = async (
    project: Project,
    nowMs: number,
    comparison: Omit<ModelComparison, 'compared_model_id'> | null = null,
  ): Promise<Model> => {
    const { job, lease } = await claim(project, 'TRAINING');
    const active = await store.deployments.active(account, project.project_id);
    const dataset = await store.datasets.get(account, 'event', project.event_dataset_id);
    const model: Model = {
      account_id: account,
      project_id: project.project_id,
      model_id: newId('model', nowMs),
      name: job.name,
      algorithm_type: 'G1',
      algorithm_parameters: {},
      created_ts: nowMs,
      job_id: job.job_id,
      metrics: null,
      artifact_key: `models/${job.job_id}`,
      training: { events_read: dataset!.num_records },
    };
    const compared = comparison && { ...comparison, compared_model_id: active!.generator_model_id };
    const result = { model_id: model.model_id, ...(compared && { comparison: compared }) };
    assert.ok(await store.queue.finish(lease, { result, model }, nowMs));
    return model;
  };
  const failTraining = async (project: Project, nowMs: number) => {
    const { lease } = await claim(project, 'TRAINING');
    await store.queue.fail(lease, { code: 'NO_EVENTS', message: 'No events.' }, nowMs);
  };
  const runDeployment = async (project: Project, nowMs: number) => {
    const { job, lease } = await claim(project, 'DEPLOYMENT');
    const { generator_model_id } = job.job_data as { generator_model_id: string };
    const candidate = await store.deployments.announce(lease, {
      account_id: account,
      project_id: project.project_id,
      generator_model_id,
      ranker_model_id: null,
      qps: 5,
      job_id: job.job_id,
      created_ts: nowMs,
    });
    assert.ok(typeof candidate === 'object');
    assert.ok(await store.deployments.activate(lease, candidate, nowMs));
    assert.ok(await store.queue.finish(lease, { result: {} }, nowMs));
  };
  const decisionsOf = async ({ project_id }: Project) =>
    (await store.automation.decisions(account, project_id, PAGE)).entries;
  const stateOf = async ({ project_id }: Project) => (await store.automation.get(account, project_id))!.state!;

  /** A project whose first model serves, since `nowMs`. */
  const serving = async (automation: Partial<Automation>, nowMs: number) => {
    const project = await automated(automation);
    await addEvents(project, 1_000_000, 10);
    await settle(nowMs);
    const first = await train(project, nowMs);
    await settle(nowMs);
    await runDeployment(project, nowMs);
    return { project, first };
  };
  const newNodes = () => [schedulerOf(stores[0]), schedulerOf(stores[stores.length - 1])];
  let nodes = newNodes();
  /** New processes that know nothing but the store. */
  const restart = () => {
    nodes = newNodes();
  };
  const close = async () => {
    for (const one of stores) await one.close();
    await place.remove();
  };
  return {
    store,
    account,
    deletedFiles,
    restart,
    close,
    look,
    settle,
    automated,
    addEvents,
    jobsOf,
    train,
    failTraining,
    runDeployment,
    decisionsOf,
    stateOf,
    serving,
  };
}
