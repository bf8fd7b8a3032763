// Looks at running experiments: keeps their figures hour by hour, for the chart, and announces the first clear result.
// Deletes what is kept about users of experiments that ended long ago. Every API node looks; what it writes is the same wherever it
// comes from.
import { DAY_MS, HOUR_MS } from '../base/durations.ts';
import { type Runtime, systemRuntime } from '../base/runtime.ts';
import type { Experiment } from '../domain/experiment.ts';
import { MAX_LIST_AGE_MS } from '../domain/recommendation.ts';
import type { Logger } from '../observability/logger.ts';
import { readExperiment } from '../outcomes/experiments/read-experiment.ts';
import type { Store } from '../store/store.ts';
import { RepeatedLook } from './repeated-look.ts';

export interface WatchParts {
  store: Pick<Store, 'experiments' | 'outcomes'>;
  log: Logger;
  runtime?: Runtime;
  /** used by tests */
  pollMs?: number;
}

const POLL_MS = 30_000;
const PAGE = 100;
/** From the first UTC day that begins at this age on, one point per day is kept. A day has hourly points or that one. */
const HOURLY_MS = 14 * DAY_MS;
const REMOVAL_MS = HOUR_MS;
/** After this time no list of an ended experiment counts any more. The extra hour is for nodes that learn of the end later. */
const KEPT_MS = MAX_LIST_AGE_MS + HOUR_MS;

export class ExperimentWatch {
  readonly #parts: WatchParts;
  readonly #looks: RepeatedLook;
  #nextRemovalMs = 0;

  constructor(parts: WatchParts) {
    this.#parts = parts;
    const { runtime = systemRuntime } = parts;
    this.#looks = new RepeatedLook({
      look: () => this.look(runtime.nowMs()),
      runtime,
      pauseMs: parts.pollMs ?? POLL_MS,
      onError: (error) => parts.log.warn({ err: error }, 'could not look at experiments'),
    });
  }

  start(): void {
    this.#looks.start();
  }

  stop(): Promise<void> {
    return this.#looks.stop();
  }

  async look(nowMs: number): Promise<void> {
    await this.#lookAtRunning(nowMs);
    if (nowMs < this.#nextRemovalMs) return;
    while (await this.#parts.store.experiments.removeEndedUsers(nowMs - KEPT_MS)) if (this.#looks.isStopped) return;
    this.#nextRemovalMs = nowMs + REMOVAL_MS;
  }

  async #lookAtRunning(nowMs: number): Promise<void> {
    let after = '';
    for (;;) {
      const running = await this.#parts.store.experiments.allRunning(after, PAGE);
      for (const experiment of running) {
        if (this.#looks.isStopped) return;
        await this.#lookAt(experiment, nowMs);
      }
      if (running.length < PAGE) return;
      after = running[PAGE - 1].experiment_id;
    }
  }

  async #lookAt(experiment: Experiment, nowMs: number): Promise<void> {
    const { experiments, outcomes } = this.#parts.store;
    const { project_id, experiment_id, created_ts, decided } = experiment;
    const users = await outcomes.usersOf(project_id, experiment_id);
    const dayMs = Math.floor(nowMs / DAY_MS) * DAY_MS;
    const hour = dayMs - created_ts < HOURLY_MS ? Math.floor(nowMs / HOUR_MS) : dayMs / HOUR_MS;
    await experiments.keepPoint(experiment_id, { hour, users });
    if (decided !== null) return;
    const { winner, sentence } = readExperiment(experiment, users, nowMs);
    if (winner === null) return;
    if (await experiments.decide(experiment, { decided_ts: nowMs, winner, sentence })) {
      this.#parts.log.info({ project_id, experiment_id, winner }, 'an experiment is decided');
    }
  }
}
