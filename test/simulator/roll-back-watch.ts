// What must hold of roll-backs: they go to the model that served before the active one and is still there, one job at a time does so,
// and one is refused only if there is no such model.
import type { WatchParts } from './job-watch.ts';

/** A version that was active. */
interface Activation {
  readonly version: number;
  readonly modelId: string;
  /** of a roll-back the version that it brought back, else its own */
  readonly origin: number;
  untilMs: number;
}

interface RollBackData {
  readonly generator_model_id: string;
  readonly restores_version?: number;
}

const ACTIVE_MS = Number.POSITIVE_INFINITY;

export class RollBackWatch {
  readonly #parts: WatchParts;
  readonly #activations: Activation[] = [];
  readonly #seenJobs = new Set<string>();
  /** deleted model → when */
  readonly #goneMs = new Map<string, number>();
  /** when something was active again after a time without */
  #activeFromMs = Number.NEGATIVE_INFINITY;

  constructor(parts: WatchParts) {
    this.#parts = parts;
  }

  look(): void {
    const { shared, world } = this.#parts;
    const before = this.#active();
    for (const id of shared.changes.models) if (!this.#isThere(id)) this.#goneMs.set(id, world.nowMs);
    for (const version of shared.changes.deployments) this.#lookAtVersion(version);
    if (before === undefined && this.#active() !== undefined) this.#activeFromMs = world.nowMs;
    for (const id of shared.changes.jobs) if (!this.#seenJobs.has(id)) this.#lookAtJob(id);
  }

  /** A call that began at `fromMs` was told of this job. */
  submitted(fromMs: number, jobId: string): void {
    const { generator_model_id: modelId, restores_version } = this.#dataOf(jobId);
    const isRight = this.#activeSince(fromMs).some((active) =>
      this.#earlierThan(active, fromMs).some((one) => one.origin === restores_version && one.modelId === modelId),
    );
    if (!isRight) this.#parts.broken(`roll-back ${jobId} goes to version ${restores_version} with model ${modelId}`);
  }

  /** A call that began at `fromMs` was told that there is nothing to roll back to. */
  refused(fromMs: number): void {
    if (this.#active() === undefined || this.#activeFromMs > fromMs) return;
    const hasEarlier = (active: Activation) =>
      this.#earlierThan(active, fromMs).some(({ modelId }) => this.#isThere(modelId));
    if (this.#activeSince(fromMs).every(hasEarlier)) {
      this.#parts.broken('a roll-back was refused though an earlier model is there');
    }
  }

  #lookAtVersion(version: number): void {
    const { shared, world } = this.#parts;
    const sql = 'SELECT state, job_id, generator_model_id FROM deployment WHERE version = ?';
    const [{ state, job_id, generator_model_id }] = shared.rows(sql, version);
    const known = this.#activations.find((one) => one.version === version);
    if (known !== undefined && state !== 'ACTIVE') known.untilMs = Math.min(known.untilMs, world.nowMs);
    if (known !== undefined || state !== 'ACTIVE') return;
    const { restores_version: origin = version } = this.#dataOf(String(job_id));
    this.#activations.push({ version, modelId: String(generator_model_id), origin, untilMs: ACTIVE_MS });
  }

  #lookAtJob(id: string): void {
    this.#seenJobs.add(id);
    const same = this.#parts.shared.rows(
      `SELECT job_id FROM job WHERE job_data = (SELECT job_data FROM job WHERE job_id = ? AND job_type = 'DEPLOYMENT')
         AND job_status IN ('PENDING', 'RUNNING') AND job_data LIKE '%restores_version%'`,
      id,
    );
    if (same.length > 1) this.#parts.broken('two jobs at once do the same roll-back');
  }

  #active(): Activation | undefined {
    return this.#activations.find(({ untilMs }) => untilMs === ACTIVE_MS);
  }

  #activeSince(ms: number): Activation[] {
    return this.#activations.filter(({ untilMs }) => untilMs >= ms);
  }

  /** What a roll-back from it may find since that moment, newest first: down to the first whose model is there now. */
  #earlierThan({ origin, modelId }: Activation, fromMs: number): Activation[] {
    const wasThere = (one: Activation) => (this.#goneMs.get(one.modelId) ?? Number.POSITIVE_INFINITY) >= fromMs;
    const earlier = this.#activations
      .filter((one) => one.version < origin && one.modelId !== modelId && wasThere(one))
      .reverse();
    const last = earlier.findIndex((one) => this.#isThere(one.modelId));
    return last < 0 ? earlier : earlier.slice(0, last + 1);
  }

  #isThere(modelId: string): boolean {
    return this.#parts.shared.rows('SELECT 1 FROM model WHERE model_id = ?', modelId).length > 0;
  }

  #dataOf(jobId: string): RollBackData {
    const [{ job_data }] = this.#parts.shared.rows('SELECT job_data FROM job WHERE job_id = ?', jobId);
    return JSON.parse(String(job_data)) as RollBackData;
  }
}
