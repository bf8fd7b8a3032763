// Watches a run and says what must never be: the invariants of ARCHITECTURE.md, checked after every step and for every answer
// against what callers had been told before they called.

import { MAX_RETRIES } from '../../src/domain/job.ts';
import { AppError } from '../../src/errors.ts';
import { type Answer, type ApiNode, PROJECT } from './api-node.ts';
import type { SharedStore } from './shared-store.ts';
import type { World } from './world.ts';

const ENDED = ['SUCCEED', 'FAILED', 'CANCELLED'];

interface SeenJob {
  readonly seenMs: number;
  readonly isAutomatic: boolean;
  readonly type: string;
  status: string;
  /** the row at its end, which never changes again */
  end: string | null;
  endedMs: number;
}

interface ToldShutdown {
  readonly startedMs: number;
  toldMs: number;
}

export class Witness {
  readonly broken: string[] = [];
  readonly jobs = new Map<string, SeenJob>();
  readonly shutdowns: ToldShutdown[] = [];
  /** model → when its deletion was acknowledged */
  readonly deletedModels = new Map<string, number>();
  readonly counts = { calls: 0, answers: 0, excused: 0, none: 0 };
  /** version → when its job had succeeded */
  readonly #deployed: { version: number; sinceMs: number; submittedMs: number }[] = [];
  readonly #world: World;
  readonly #shared: SharedStore;

  constructor(world: World, shared: SharedStore) {
    this.#world = world;
    this.#shared = shared;
  }

  break(what: string): void {
    if (this.broken.includes(what)) return;
    this.broken.push(what);
    this.#world.note(`BROKEN ${what}`);
  }

  afterStep(): void {
    if (!this.#shared.isChanged) return;
    this.#shared.isChanged = false;
    this.#checkJobs();
    this.#checkOnce();
  }

  #checkJobs(): void {
    const rows = this.#shared.rows(
      `SELECT job_id, job_type, job_status, attempt, retry_count, job_result, job_data, finished_ts FROM job`,
    );
    for (const row of rows) {
      const id = String(row.job_id);
      const status = String(row.job_status);
      let job = this.jobs.get(id);
      if (job === undefined) {
        const isAutomatic = String(row.job_data).includes('"automatic":true');
        job = { seenMs: this.#world.nowMs, isAutomatic, type: String(row.job_type), status, end: null, endedMs: 0 };
        this.jobs.set(id, job);
        if (isAutomatic && job.type === 'DEPLOYMENT') this.#checkNotShutDown(id);
      }
      if (job.status !== status) this.#world.note(`${job.type} ${id.slice(-4)} ${status}`);
      job.status = status;
      if (Number(row.retry_count) > MAX_RETRIES) this.break(`job ${id} was retried ${row.retry_count} times`);
      const now = JSON.stringify(row);
      if (job.end !== null && job.end !== now) this.break(`job ${id} changed after its end: ${job.end} → ${now}`);
      if (job.end === null && ENDED.includes(status)) {
        job.end = now;
        job.endedMs = this.#world.nowMs;
        if (status === 'SUCCEED' && job.type === 'DEPLOYMENT') this.#deploymentSucceeded(id, job);
      }
      const { file } = status === 'SUCCEED' && job.type === 'QUERYING' ? JSON.parse(String(row.job_result)) : {};
      if (file && !this.#shared.files.has(file)) this.break(`job ${id} succeeded and its result is gone`);
    }
  }

  #deploymentSucceeded(jobId: string, { seenMs }: SeenJob): void {
    const [row] = this.#shared.rows(
      'SELECT version FROM deployment WHERE job_id = ? AND activated_ts IS NOT NULL',
      jobId,
    );
    if (row === undefined) this.break(`deployment job ${jobId} succeeded without a switch`);
    else this.#deployed.push({ version: Number(row.version), sinceMs: this.#world.nowMs, submittedMs: seenMs });
  }

  #checkNotShutDown(jobId: string): void {
    const last = this.shutdowns.at(-1);
    if (last === undefined || last.toldMs > this.#world.nowMs) return;
    const isWanted = [...this.jobs.values()].some(
      (job) => job.type === 'DEPLOYMENT' && !job.isAutomatic && job.seenMs >= last.startedMs,
    );
    if (!isWanted) this.break(`automation deployed (${jobId}) a project that a person had shut down`);
  }

  /** Published once, one deployment at a time, and no model without its file. */
  #checkOnce(): void {
    const twice = (sql: string, what: string) => {
      for (const row of this.#shared.rows(sql)) this.break(`${what}: ${JSON.stringify(row)}`);
    };
    twice('SELECT job_id FROM model GROUP BY job_id HAVING COUNT(*) > 1', 'two models of one job');
    twice(
      `SELECT project_id FROM deployment WHERE state = 'ACTIVE' GROUP BY project_id HAVING COUNT(*) > 1`,
      'two active deployments',
    );
    twice(
      'SELECT training_job_id FROM automation_decision GROUP BY training_job_id HAVING COUNT(*) > 1',
      'two decisions on one training',
    );
    twice(
      `SELECT COUNT(*) AS jobs FROM job WHERE job_type = 'TRAINING' AND job_data LIKE '%"automatic":true%'
         AND job_status IN ('PENDING', 'RUNNING') HAVING COUNT(*) > 1`,
      'two automatic trainings at once',
    );
    twice(
      `SELECT training_hours FROM account WHERE training_hours <>
         (SELECT COUNT(*) FROM job WHERE job_type = 'TRAINING' AND job_status = 'SUCCEED')`,
      'training hours differ from the trainings that succeeded',
    );
    for (const { artifact_key } of this.#shared.rows('SELECT artifact_key FROM model')) {
      if (!this.#shared.files.has(String(artifact_key))) this.break(`model file ${artifact_key} is gone`);
    }
  }

  /** An answer to a call that began at `fromMs`. */
  answered(node: ApiNode, userId: string, fromMs: number, answer: Answer): void {
    this.counts.answers++;
    const who = `${node.machine.name} answered ${userId}`;
    const { timeline } = this.#shared.records;
    for (const item of timeline.items) {
      const isIn = answer.items.has(item);
      const mayBeIn = timeline.wasSince(fromMs, item, true) && timeline.wasSince(fromMs, `${userId} ${item}`, false);
      const mayBeOut = timeline.wasSince(fromMs, item, false) || timeline.wasSince(fromMs, `${userId} ${item}`, true);
      if (isIn && !mayBeIn) this.break(`${who} with ${item}, which was deleted or bought before the call`);
      if (!isIn && !mayBeOut) this.break(`${who} without ${item}, which should be there`);
    }
    // A node that cannot reach the store serves on with what it knows, and others do not wait for it.
    if (node.machine.disturbedMs >= fromMs) return void this.counts.excused++;
    if ((this.deletedModels.get(answer.modelId) ?? Infinity) <= fromMs) {
      this.break(`${who} with the deleted model ${answer.modelId}`);
    }
    const submittedMs = this.jobs.get(answer.deploymentJobId)!.seenMs;
    if (this.shutdowns.some(({ startedMs, toldMs }) => toldMs <= fromMs && submittedMs < startedMs)) {
      this.break(`${who} with version ${answer.version} after its shutdown was acknowledged`);
    }
    for (const { version, sinceMs } of this.#deployed) {
      if (sinceMs <= fromMs && answer.version < version) {
        this.break(`${who} with version ${answer.version} after version ${version} was deployed`);
      }
    }
  }

  failed(node: ApiNode, fromMs: number, error: unknown): void {
    const isNone = error instanceof AppError && error.code === 'NO_MODEL_DEPLOYED';
    if (isNone) this.counts.none++;
    if (node.machine.disturbedMs >= fromMs) return void this.counts.excused++;
    // Until its deletion is acknowledged, a node may still try to serve a model that is gone.
    const told = [...this.deletedModels.values()].filter((ms) => ms <= fromMs).length;
    if (error instanceof AppError && error.code === 'MODEL_NOT_FOUND' && told < this.#shared.modelDeletions) return;
    if (!isNone) this.break(`a call failed on ${node.machine.name}: ${error}`);
    else if (this.shutdowns.length === 0 && this.#deployed.some(({ sinceMs }) => sinceMs <= fromMs)) {
      this.break(`${node.machine.name} had no deployment though one was complete`);
    }
  }

  /** When all is quiet and nothing fails any more. */
  atEnd(): void {
    for (const [id, { status, type }] of this.jobs) {
      if (!ENDED.includes(status)) this.break(`${type} job ${id} of ${PROJECT} has not ended`);
    }
  }
}
