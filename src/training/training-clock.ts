// Seconds by phase, progress and the time budget of one training run.
import { type JobProgress, MAX_TRIALS, type Trial } from '../domain/job.ts';

export type ProgressListener = (progress: JobProgress) => void;

export class TrainingClock {
  readonly seconds: Record<string, number> = {};
  readonly #startedMs = performance.now();
  readonly #onProgress: ProgressListener | undefined;
  readonly #signal: AbortSignal | undefined;
  #phase: string | null = null;
  #phaseStartedMs = 0;
  #deadlineMs = Number.POSITIVE_INFINITY;
  #told: JobProgress = { phase: 'train', fraction: 0, message: '' };

  constructor(onProgress?: ProgressListener, signal?: AbortSignal) {
    this.#onProgress = onProgress;
    this.#signal = signal;
  }

  /** Ends the phase before and begins this one; `fraction` is how much of the whole run lies behind. */
  begin(phase: string, fraction: number, message: string): void {
    this.#signal?.throwIfAborted();
    this.#endPhase();
    this.#phase = phase;
    this.#phaseStartedMs = performance.now();
    this.#tell({ phase, fraction, message });
  }

  tell(fraction: number, message: string): void {
    this.#signal?.throwIfAborted();
    this.#tell({ fraction, message });
  }

  /** Something was measured: it stands beside all that is told from now on. */
  tried(trial: Trial): void {
    const ndcg = Math.round(trial.ndcg * 1e5) / 1e5;
    this.#tell({ tried: [...(this.#told.tried ?? []), { ...trial, ndcg }].slice(-MAX_TRIALS) });
  }

  #tell(news: Partial<JobProgress>): void {
    this.#told = { ...this.#told, ...news };
    this.#onProgress?.(this.#told);
  }

  /** From now on, so many seconds may go into the search. */
  allow(seconds: number): void {
    this.#deadlineMs = performance.now() + seconds * 1000;
  }

  /** Whether the budget is used up. */
  isLate(): boolean {
    return performance.now() > this.#deadlineMs;
  }

  finish(): Record<string, number> & { total: number } {
    this.#endPhase();
    return { ...this.seconds, total: round((performance.now() - this.#startedMs) / 1000) };
  }

  #endPhase(): void {
    if (this.#phase === null) return;
    const passed = (performance.now() - this.#phaseStartedMs) / 1000;
    this.seconds[this.#phase] = round((this.seconds[this.#phase] ?? 0) + passed);
    this.#phase = null;
  }
}

function round(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
