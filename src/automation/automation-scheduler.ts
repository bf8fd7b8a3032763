// Trains, judges and deploys automated projects while the service runs. Every API node looks at them; a step is taken by the node
// that first writes it (see store/automation-store.ts), so trainings do not double and a restart changes nothing. At most one
// training of a project waits or runs: without a worker it waits, and nothing piles up behind it.

import { DAY_MS } from '../base/durations.ts';
import { type Runtime, systemRuntime } from '../base/runtime.ts';
import { type OwnChange, ownEntry } from '../domain/audit-entry.ts';
import type { AutomationDecision, ModelComparison } from '../domain/automation.ts';
import { summaryOf } from '../domain/describe-call.ts';
import { newId } from '../domain/ids.ts';
import { type Job, jobName, newJob } from '../domain/job.ts';
import { isActive } from '../domain/job-status.ts';
import type { Logger } from '../observability/logger.ts';
import type { AutomatedProject, AutomationState } from '../store/automation-store.ts';
import type { BlobStore } from '../store/blob-store.ts';
import type { Store } from '../store/store.ts';
import { unfinishedCheck } from './data-checks.ts';
import { decideDeployment } from './deploy-decision.ts';
import { firstState, newestModel } from './first-state.ts';
import { RepeatedLook } from './repeated-look.ts';
import { afterNoModel, countFrom, FIRST_BACK_OFF_MS, isDue } from './retraining.ts';

export interface SchedulerParts {
  store: Pick<Store, 'automation' | 'audit' | 'accounts' | 'algorithms' | 'jobs' | 'models' | 'deployments' | 'health'>;
  blobs: Pick<BlobStore, 'delete'>;
  log: Logger;
  runtime?: Runtime;
  /** used by tests */
  pollMs?: number;
  firstBackOffMs?: number;
}

const POLL_MS = 2000;
/** Number of projects read at a time. */
const PAGE = 100;
/** How long automation waits with a new algorithm of a project without models, so that a person can submit the training. */
const FIRST_ALGORITHM_MS = 5000;
const CHECK_EVERY_MS = DAY_MS;
const NEWEST = { page_size: 1, page_token: null };
const NO_ALGORITHM = 'The project has no algorithm to train. Create one (/create-algorithm).';

export class AutomationScheduler {
  readonly #parts: SchedulerParts;
  readonly #runtime: Runtime;
  readonly #looks: RepeatedLook;

  constructor(parts: SchedulerParts) {
    this.#parts = parts;
    this.#runtime = parts.runtime ?? systemRuntime;
    this.#looks = new RepeatedLook({
      look: () => this.look(this.#runtime.nowMs()),
      runtime: this.#runtime,
      pauseMs: parts.pollMs ?? POLL_MS,
      onError: (error) => parts.log.warn({ err: error }, 'could not look at automated projects'),
    });
  }

  start(): void {
    this.#looks.start();
  }

  stop(): Promise<void> {
    return this.#looks.stop();
  }

  /** Takes the next step of every project that has one. */
  async look(nowMs: number): Promise<void> {
    const { store, log } = this.#parts;
    let after = '';
    for (;;) {
      const projects = await store.automation.automated(after, PAGE);
      for (const one of projects) {
        if (this.#looks.isStopped) return;
        await this.#step(one, nowMs).catch((error) =>
          log.warn({ err: error, project_id: one.project.project_id }, 'could not take the next step of a project'),
        );
      }
      if (projects.length < PAGE) return;
      after = projects[PAGE - 1].project.project_id;
    }
  }

  async #step(one: AutomatedProject, nowMs: number): Promise<void> {
    const { automation } = this.#parts.store;
    const state = one.state && (await this.#observed(one, one.state, nowMs));
    if (state === null) {
      await automation.save(one.project, await firstState(this.#parts.store, one, nowMs));
    } else if (state !== one.state) {
      await automation.save(one.project, state);
      await this.#deleteSurplus(one, nowMs);
    } else if (state.training_job_id !== null) {
      await this.#afterTraining(one, state, nowMs);
    } else if (isDue(one.project.automation, state, one.events, nowMs)) {
      await this.#train(one, state, nowMs);
    }
  }

  /** The state with what came about without automation: a newer model, deleted events. The same object when nothing did. */
  async #observed(one: AutomatedProject, state: AutomationState, nowMs: number): Promise<AutomationState> {
    const { events, newestModelId } = one;
    // Ids sort by time: a newest model that is older than before says that one was deleted, which makes nothing new.
    const isNewer = newestModelId !== null && (state.model_id === null || newestModelId > state.model_id);
    if (isNewer && state.training_job_id === null) {
      return {
        ...state,
        ...countFrom(await newestModel(this.#parts.store, one), events, nowMs),
        failures: 0,
        not_before_ts: 0,
        message: null,
      };
    }
    return events < state.known_events ? { ...state, known_events: events } : state;
  }

  async #train({ project }: AutomatedProject, state: AutomationState, nowMs: number): Promise<void> {
    const { store, log } = this.#parts;
    const { account_id, project_id, automation } = project;
    // A training that a person submitted counts as this round's, once it has ended.
    if (await store.automation.trains(project_id)) return;
    const missing = await this.#missing(project);
    // Whoever creates the first algorithm usually submits a training next.
    if (typeof missing === 'object' && state.model_id === null && missing.created_ts > nowMs - FIRST_ALGORITHM_MS)
      return;
    if (typeof missing === 'string') {
      if (missing !== state.message) await store.automation.save(project, { ...state, message: missing });
      return;
    }
    const { algorithm_id, algorithm_type, algorithm_parameters } = missing;
    const job = newJob(
      {
        account_id,
        project_id,
        job_type: 'TRAINING',
        name: jobName('Automatic training', nowMs),
        job_data: {
          algorithm_id,
          algorithm_type,
          algorithm_parameters,
          automatic: true,
          compare_with_deployed: automation.deploy === 'if_not_worse',
        },
      },
      this.#runtime,
      nowMs,
    );
    if (await store.automation.startTraining(job, { ...state, message: null })) {
      log.info({ project_id, job_id: job.job_id }, 'automation submitted a training');
      await this.#checkData(project, nowMs);
    }
  }

  /** Checks once a day, so that webhooks report faults in the training data. */
  async #checkData({ account_id, project_id }: AutomatedProject['project'], nowMs: number): Promise<void> {
    const { health, jobs } = this.#parts.store;
    const last = await health.get(account_id, project_id);
    if (last !== null && last.checked_ts > nowMs - CHECK_EVERY_MS) return;
    if ((await unfinishedCheck(jobs, account_id, project_id)) !== null) return;
    const given = { account_id, project_id, job_type: 'DATA_HEALTH', job_data: {} } as const;
    await jobs.submit(newJob(given, this.#runtime, nowMs));
  }

  /** The algorithm to train, or what is missing. */
  async #missing({ account_id, project_id }: AutomatedProject['project']) {
    const { accounts, algorithms } = this.#parts.store;
    const account = await accounts.get(account_id);
    if (account !== null && account.training_hours >= account.plan.max_training_hours) {
      return `The account has used the ${account.plan.max_training_hours} training hours of its plan.`;
    }
    const newest = await algorithms.list(account_id, project_id, NEWEST);
    return newest.entries[0] ?? NO_ALGORITHM;
  }

  async #afterTraining(one: AutomatedProject, state: AutomationState, nowMs: number): Promise<void> {
    const { store, firstBackOffMs = FIRST_BACK_OFF_MS } = this.#parts;
    const { account_id, project_id } = one.project;
    const job = await store.jobs.get(account_id, project_id, state.training_job_id!);
    if (job && isActive(job)) return;
    if (job?.job_status === 'SUCCEED') return this.#decide(one, state, job, nowMs);
    const next = afterNoModel(state, job, { events: one.events, nowMs, firstBackOffMs });
    await store.automation.save(one.project, next);
  }

  async #decide(one: AutomatedProject, state: AutomationState, job: Job, nowMs: number): Promise<void> {
    const { store, log } = this.#parts;
    const { account_id, project_id, automation } = one.project;
    const model_id = String(job.job_result?.model_id);
    const comparison = (job.job_result?.comparison ?? null) as ModelComparison | null;
    const active = await store.deployments.active(account_id, project_id);
    const judged = decideDeployment({
      rule: automation.deploy,
      comparison,
      active,
      startedMs: job.started_ts ?? job.created_ts,
      hasServed: active !== null || (await store.automation.hasServed(project_id)),
    });
    const deployment =
      judged.decision === 'deploy'
        ? newJob(
            {
              account_id,
              project_id,
              job_type: 'DEPLOYMENT',
              name: jobName('Automatic deployment', nowMs),
              job_data: {
                generator_model_id: model_id,
                ranker_model_id: active?.ranker_model_id ?? null,
                qps: null,
                automatic: true,
              },
            },
            this.#runtime,
            nowMs,
          )
        : null;
    const decision: AutomationDecision = {
      account_id,
      project_id,
      decision_id: newId('decision', this.#runtime, nowMs),
      decided_ts: nowMs,
      ...judged,
      model_id,
      training_job_id: job.job_id,
      deployment_job_id: deployment?.job_id ?? null,
      comparison,
    };
    const counted = countFrom(
      await newestModel(this.#parts.store, { ...one, newestModelId: model_id }),
      one.events,
      nowMs,
    );
    const next = { ...state, ...counted, training_job_id: null, failures: 0, not_before_ts: 0, message: null };
    const deployedModelId = active?.generator_model_id ?? null;
    if (!(await store.automation.decide({ decision, deployedModelId, deployment, state: next }))) return;
    log.info({ project_id, model_id, decision: decision.decision, reason: decision.reason }, 'automation decided');
    if (deployment !== null) {
      const [operation, object_id] = ['/submit-deployment-job', deployment.job_id];
      await this.#note(account_id, { operation, object_id, summary: summaryOf({ project_id, model_id }) }, nowMs);
    }
    await this.#deleteSurplus(one, nowMs);
  }

  /** Records the change in the account's audit log, like the call that a person would have made. */
  async #note(
    account_id: string,
    change: Pick<OwnChange, 'operation' | 'object_id' | 'summary'>,
    nowMs: number,
  ): Promise<void> {
    const { store, log } = this.#parts;
    const entry = { account_id, actor_kind: 'automation', actor_id: 'automation', ...change } as const;
    await store.audit
      .append([ownEntry(entry, this.#runtime, nowMs)])
      .catch((error) => log.warn({ err: error }, 'could not write an entry of automation into the audit log'));
  }

  async #deleteSurplus({ project }: AutomatedProject, nowMs: number): Promise<void> {
    const { store, blobs, log } = this.#parts;
    const { account_id, project_id, automation } = project;
    const surplus = await store.automation.surplusModels(account_id, project_id, automation.keep_models);
    if (surplus.length === 0) return;
    const earlier = await store.automation.earlierDeployment(account_id, project_id);
    const kept = new Set([earlier?.generator_model_id, earlier?.ranker_model_id]);
    for (const modelId of surplus) {
      if (kept.has(modelId)) continue;
      const deleted = await store.models.delete(account_id, project_id, modelId);
      if (deleted === null || deleted === 'deployed') continue;
      log.info({ project_id, model_id: modelId }, 'automation deleted an old model');
      const change = { operation: '/delete-model', object_id: modelId, summary: summaryOf({ project_id }) };
      await this.#note(account_id, change, nowMs);
      // A file that cannot be removed now is swept later.
      await blobs
        .delete(deleted.model.artifact_key)
        .catch((error) => log.warn({ err: error }, 'a model file could not be removed'));
    }
  }
}
