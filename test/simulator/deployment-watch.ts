// What must hold of deployments, checked when one has changed: what was retired never comes back, one is active at a time until it is
// shut down, and what was submitted before a shutdown is never active after it.
import type { JobWatch, WatchParts } from './job-watch.ts';

const SELECT = 'SELECT version, state, job_id, generator_model_id FROM deployment WHERE version = ?';

export class DeploymentWatch {
  /** versions whose jobs have succeeded */
  readonly complete: { version: number; sinceMs: number }[] = [];
  readonly #parts: WatchParts;
  readonly #jobs: JobWatch;
  readonly #states = new Map<number, string>();
  readonly #switched = new Map<string, number>();
  #active: number | null = null;
  #activeSinceMs = Number.POSITIVE_INFINITY;
  #shutDownMs = Number.NEGATIVE_INFINITY;

  constructor(parts: WatchParts, jobs: JobWatch) {
    this.#parts = parts;
    this.#jobs = jobs;
  }

  look(): void {
    const { shared, world, broken } = this.#parts;
    for (const version of shared.changes.deployments) this.#look(version);
    if (shared.changes.deployments.size > 0) {
      const active = [...this.#states].filter(([, state]) => state === 'ACTIVE').map(([version]) => version);
      if (active.length > 1) broken(`versions ${active} are active at once`);
      if (this.#active !== null && active.length === 0) this.#shutDownMs = world.nowMs;
      if (active.length === 0) this.#activeSinceMs = Number.POSITIVE_INFINITY;
      else if (this.#active === null) this.#activeSinceMs = world.nowMs;
      this.#active = active[0] ?? null;
    }
    for (const id of shared.changes.jobs) {
      const job = this.#jobs.jobs.get(id);
      if (job?.type !== 'DEPLOYMENT' || job.status !== 'SUCCEED') continue;
      const version = this.#switched.get(id);
      if (version === undefined) broken(`deployment job ${id} succeeded without a switch`);
      else this.complete.push({ version, sinceMs: world.nowMs });
    }
  }

  /** Whether at that moment a deployment was complete, and there was an active one from then on until now. */
  servesSince(ms: number): boolean {
    return this.complete.some(({ sinceMs }) => sinceMs <= ms && sinceMs >= this.#activeSinceMs);
  }

  /** When the version's job was submitted, and its model. */
  get(version: number): { submittedMs: number; modelId: string } {
    const [{ job_id, generator_model_id }] = this.#parts.shared.rows(SELECT, version);
    return { submittedMs: this.#jobs.jobs.get(String(job_id))!.seenMs, modelId: String(generator_model_id) };
  }

  #look(version: number): void {
    const { shared, broken } = this.#parts;
    const [{ state, job_id }] = shared.rows(SELECT, version);
    const before = this.#states.get(version);
    this.#states.set(version, String(state));
    if (before === state) return;
    if (before === 'RETIRED') broken(`version ${version} was retired and is ${state} again`);
    if (state !== 'ACTIVE') return;
    this.#switched.set(String(job_id), version);
    this.#parts.counts.switches++;
    const { seenMs } = this.#jobs.jobs.get(String(job_id))!;
    if (seenMs < this.#shutDownMs) broken(`version ${version} is active, which was submitted before a shutdown`);
  }
}
