// Seconds by phase, progress and the time budget of one training run. Processor seconds, of all threads, say what the work costs
// however busy the machine is.

import { type Runtime, systemRuntime } from '../base/runtime.ts';
import { type JobProgress, MAX_TRIALS, type Trial } from '../domain/job.ts';

export type ProgressListener = (progress: JobProgress) => void;

/** Seconds by phase, and in total. */
export interface Spent {
  readonly seconds: Record<string, number> & { total: number };
  readonly processor_seconds: Record<string, number> & { total: number };
}

export class TrainingClock {
  readonly #seconds: Record<string, number> = {};
  readonly #processorSeconds: Record<string, number> = {};
  readonly #startedMs: number;
  readonly #onProgress: ProgressListener | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #runtime: Runtime;
  #phase: string | null = null;
  #phaseStartedMs = 0;
  #phaseProcessorMs = 0;
  #deadlineMs = Number.POSITIVE_INFINITY;
  #told: JobProgress = { phase: 'train', fraction: 0, message: '' };

  constructor(onProgress?: ProgressListener, signal?: AbortSignal, runtime: Runtime = systemRuntime) {
    this.#onProgress = onProgress;
    this.#signal = signal;
    this.#runtime = runtime;
    this.#startedMs = runtime.monotonicMs();
  }

  /** Ends the previous phase and begins this one. `fraction` is the share of the whole run that is done. */
  begin(phase: string, fraction: number, message: string): void {
    this.#signal?.throwIfAborted();
    this.#endPhase();
    this.#phase = phase;
    this.#phaseStartedMs = this.#runtime.monotonicMs();
    this.#phaseProcessorMs = processorMs();
    this.#tell({ phase, fraction, message });
  }

  tell(fraction: number, message: string): void {
    this.#signal?.throwIfAborted();
    this.#tell({ fraction, message });
  }

  /** Adds a measurement to all further progress messages. */
  tried(trial: Trial): void {
    const ndcg = Math.round(trial.ndcg * 1e5) / 1e5;
    this.#tell({ tried: [...(this.#told.tried ?? []), { ...trial, ndcg }].slice(-MAX_TRIALS) });
  }

  #tell(news: Partial<JobProgress>): void {
    this.#told = { ...this.#told, ...news };
    this.#onProgress?.(this.#told);
  }

  /** Limits the rest of the search to this many seconds. */
  allow(seconds: number): void {
    this.#deadlineMs = this.#runtime.monotonicMs() + seconds * 1000;
  }

  /** Whether the budget is used up. */
  isLate(): boolean {
    return this.#runtime.monotonicMs() > this.#deadlineMs;
  }

  finish(): Spent {
    this.#endPhase();
    const processorTotal = Object.values(this.#processorSeconds).reduce((sum, seconds) => sum + seconds, 0);
    return {
      seconds: { ...this.#seconds, total: round((this.#runtime.monotonicMs() - this.#startedMs) / 1000) },
      processor_seconds: { ...this.#processorSeconds, total: round(processorTotal) },
    };
  }

  #endPhase(): void {
    if (this.#phase === null) return;
    const add = (to: Record<string, number>, passedMs: number) => {
      to[this.#phase!] = round((to[this.#phase!] ?? 0) + passedMs / 1000);
    };
    add(this.#seconds, this.#runtime.monotonicMs() - this.#phaseStartedMs);
    add(this.#processorSeconds, processorMs() - this.#phaseProcessorMs);
    this.#phase = null;
  }
}

/** Processor time of all threads of the process. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function round(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
