// What must hold of jobs, checked when one has changed: an end is final, retries are few, a result comes from the attempt that held
// the lease, and no lease is taken from a worker whose heart beats. A job in parts has joined all of them, which are gone when it ends
// and not before. A deployment fails only for a model that was deleted.
import { MAX_RETRIES } from '../../src/domain/job.ts';
import { PART_PREFIX } from '../../src/store/blob-store.ts';
import type { Row } from '../../src/store/database.ts';
import type { Counts } from './counts.ts';
import type { SharedStore } from './shared-store.ts';
import { TIMING } from './worker-node.ts';
import type { World } from './world.ts';

const ENDED = { SUCCEED: 'succeeded', FAILED: 'failed', CANCELLED: 'cancelled' } as const;
const SELECT = `SELECT job_id, job_type, job_status, attempt, retry_count, job_result, failure_reason, job_data, started_ts, finished_ts,
  progress, parent_job_id, part_count FROM job WHERE job_id = ?`;
const PARTS = 'SELECT job_status, job_result FROM job WHERE parent_job_id = ?';

export interface SeenJob {
  readonly seenMs: number;
  readonly isAutomatic: boolean;
  readonly type: string;
  /** of a part: its job */
  readonly parent: string | null;
  status: string;
  retries: number;
  /** the row at its end, which never changes again */
  end: string | null;
}

export interface WatchParts {
  readonly world: World;
  readonly shared: SharedStore;
  readonly counts: Counts;
  readonly broken: (what: string) => void;
}

export class JobWatch {
  readonly jobs = new Map<string, SeenJob>();
  open = 0;
  readonly #parts: WatchParts;
  /** result file → job */
  readonly #published = new Map<string, string>();

  constructor(parts: WatchParts) {
    this.#parts = parts;
  }

  /** The job that succeeded with this file. */
  publishedBy(file: string): string | undefined {
    return this.#published.get(file);
  }

  look(): void {
    const { shared, broken } = this.#parts;
    for (const id of shared.changes.jobs) {
      const [row] = shared.rows(SELECT, id);
      if (row === undefined) this.#gone(id);
      else this.#look(id, row);
    }
    for (const training of shared.changes.decisions) {
      const decisions = shared.rows('SELECT 1 FROM automation_decision WHERE training_job_id = ?', training);
      if (decisions.length > 1) broken(`there are two decisions on training ${training}`);
    }
  }

  /** Why the file of a part must not be deleted. */
  whyPieceIsNeeded(file: string): string | null {
    const [jobId, attemptId] = file.slice(PART_PREFIX.length).split('/');
    const isNeeded = ({ job_result }: Row) => String(job_result).includes(`"attempt_id":"${attemptId}"`);
    const parts = file.startsWith(PART_PREFIX) ? this.#parts.shared.rows(PARTS, jobId) : [];
    return parts.some(isNeeded) ? `job ${jobId} waits for what its part ${attemptId} has published` : null;
  }

  #gone(id: string): void {
    const { parent, end } = this.jobs.get(id)!;
    const status = parent === null ? '' : this.jobs.get(parent)!.status;
    const [row] = parent === null ? [] : this.#parts.shared.rows(SELECT, parent);
    if (!(String(row?.job_status) in ENDED))
      this.#parts.broken(`job ${id} is gone, and the one it belongs to is ${status}`);
    this.jobs.delete(id);
    if (end === null) this.open--;
  }

  #look(id: string, row: Row): void {
    const { world, shared, counts, broken } = this.#parts;
    const status = String(row.job_status);
    const job = this.jobs.get(id) ?? this.#begin(id, row);
    const retries = Number(row.retry_count);
    if (job.status !== status) world.note(`${job.type} ${id.slice(-4)} ${status}`);
    if (retries > MAX_RETRIES) broken(`job ${id} was retried ${retries} times`);
    if (retries > job.retries) this.#checkTakenBack(id, row);
    if ((status === 'RUNNING' || status === 'SUCCEED') && row.started_ts === null) {
      broken(`job ${id} is ${status} and nobody knows since when`);
    }
    if (status === 'PENDING' && Number(row.part_count) > 0) {
      const open = shared.rows(PARTS, id).filter((part) => part.job_status !== 'SUCCEED').length;
      if (open > 0) broken(`job ${id} is to be joined, and ${open} of its parts have not succeeded`);
    }
    const { progress: _, ...kept } = row;
    const now = JSON.stringify(kept);
    if (job.end !== null && job.end !== now) broken(`job ${id} changed after its end: ${job.end} → ${now}`);
    job.status = status;
    job.retries = retries;
    if (job.end !== null || !(status in ENDED)) return;
    job.end = now;
    this.open--;
    if (job.parent !== null) return void counts.partsDone++;
    counts[ENDED[status as keyof typeof ENDED]]++;
    const left = shared.rows(PARTS, id).length;
    if (left > 0) broken(`job ${id} has ended, and ${left} of its parts are left`);
    if (status === 'SUCCEED') this.#succeeded(id, row);
    if (/MODEL_UNREADABLE(?!.*is missing)/.test(String(row.failure_reason)))
      broken(`job ${id} failed: ${row.failure_reason}`);
  }

  #begin(id: string, row: Row): SeenJob {
    const { world, shared, broken } = this.#parts;
    const isAutomatic = String(row.job_data).includes('"automatic":true');
    const type = String(row.job_type);
    const parent = row.parent_job_id === null ? null : String(row.parent_job_id);
    const job = { seenMs: world.nowMs, isAutomatic, type, parent, status: '', retries: 0, end: null };
    this.jobs.set(id, job);
    this.open++;
    if (parent === null) this.#parts.counts.jobs++;
    if (isAutomatic && type === 'TRAINING') {
      const open = [...this.jobs.values()].filter((one) => one.isAutomatic && one.type === type && one.end === null);
      if (open.length > 1) broken('two automatic trainings at once');
    }
    if (isAutomatic && type === 'DEPLOYMENT') {
      const active = shared.rows(`SELECT version FROM deployment WHERE state = 'ACTIVE'`);
      if (active.length === 0) broken(`automation deploys (${id}) a project that is shut down`);
    }
    return job;
  }

  #checkTakenBack(id: string, { progress }: Row): void {
    if (!String(progress).includes('stopped responding')) return;
    const sinceMs = this.#parts.world.nowMs - this.#parts.shared.changes.beatMs.get(id)!;
    if (sinceMs < TIMING.leaseMs) this.#parts.broken(`job ${id} was taken back ${sinceMs} ms after a heartbeat`);
  }

  #succeeded(id: string, { job_type, attempt, job_result, part_count }: Row): void {
    const { shared, counts, broken } = this.#parts;
    const result = JSON.parse(String(job_result)) as { attempt?: number; file?: string; joined?: number[] };
    if (result.attempt !== undefined && result.attempt !== Number(attempt)) {
      broken(`job ${id} has the result of attempt ${result.attempt}, its lease was that of attempt ${attempt}`);
    }
    if (result.file !== undefined) {
      this.#published.set(result.file, id);
      if (!shared.files.has(result.file)) broken(`job ${id} succeeded and its result is gone`);
    }
    if (result.joined !== undefined) {
      counts.joined++;
      const all = Array.from({ length: Number(part_count) }, (_, number) => number);
      if (result.joined.join() !== all.join()) broken(`job ${id} has joined parts ${result.joined} of ${part_count}`);
    }
    if (job_type !== 'TRAINING') return;
    const models = shared.rows('SELECT model_id FROM model WHERE job_id = ?', id);
    if (models.length !== 1) broken(`training ${id} succeeded with ${models.length} models`);
    const [{ training_hours }] = shared.rows('SELECT training_hours FROM account');
    const [{ ms }] = shared.rows(
      `SELECT SUM(MAX(0, finished_ts - started_ts)) AS ms FROM job WHERE job_type = 'TRAINING' AND job_status = 'SUCCEED'`,
    );
    const countedMs = Number(training_hours) * 3_600_000;
    if (Math.abs(countedMs - Number(ms)) > 0.5) broken(`trainings ran for ${ms} ms, and ${countedMs} ms were counted`);
  }
}
