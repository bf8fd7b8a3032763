// What must hold of deployments, checked when one has changed: what was retired never comes back, one is active at a time until it is
// shut down, and what was submitted before a shutdown is never active after it.
import type { JobWatch, WatchParts } from './job-watch.ts';

const SELECT = 'SELECT version, state, job_id FROM deployment WHERE version = ?';

export class DeploymentWatch {
  /** versions whose jobs have succeeded */
  readonly complete: { version: number; sinceMs: number }[] = [];
  readonly #parts: WatchParts;
  readonly #jobs: JobWatch;
  readonly #states = new Map<number, string>();
  readonly #switched = new Map<string, number>();
  #active: number | null = null;
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
      this.#active = active[0] ?? null;
    }
    for (const id of shared.changes.jobs) {
      const { type, status } = this.#jobs.jobs.get(id)!;
      if (type !== 'DEPLOYMENT' || status !== 'SUCCEED') continue;
      const version = this.#switched.get(id);
      if (version === undefined) broken(`deployment job ${id} succeeded without a switch`);
      else this.complete.push({ version, sinceMs: world.nowMs });
    }
  }

  /** When the version's job was submitted. */
  submittedMs(version: number): number {
    const [{ job_id }] = this.#parts.shared.rows(SELECT, version);
    return this.#jobs.jobs.get(String(job_id))!.seenMs;
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
    const { seenMs } = this.#jobs.jobs.get(String(job_id))!;
    if (seenMs < this.#shutDownMs) broken(`version ${version} is active, which was submitted before a shutdown`);
  }
}
