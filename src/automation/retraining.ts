// Decides when a project is trained again. Times are milliseconds since 1970, so intervals keep their length whatever local
// clocks do.

import { HOUR_MS } from '../base/durations.ts';
import type { Automation } from '../domain/automation.ts';
import type { Job } from '../domain/job.ts';
import type { AutomationState } from '../store/automation-store.ts';

export const FIRST_BACK_OFF_MS = 10 * 60_000;
const LONGEST_BACK_OFF_MS = 24 * HOUR_MS;

/** The time when the interval has passed and no back-off after a failure is active; null if no interval is set. */
export function nextTrainingMs({ retrain }: Automation, state: AutomationState): number | null {
  if (retrain.every_hours === undefined) return null;
  return Math.max(state.since_ts + retrain.every_hours * HOUR_MS, state.not_before_ts);
}

export function newEvents(state: AutomationState, events: number): number {
  return Math.max(0, events - state.known_events);
}

export function isDue(automation: Automation, state: AutomationState, events: number, nowMs: number): boolean {
  if (state.training_job_id !== null || nowMs < state.not_before_ts) return false;
  const next = nextTrainingMs(automation, state);
  if (next !== null && nowMs >= next) return true;
  const { after_new_events: enough } = automation.retrain;
  return enough !== undefined && newEvents(state, events) >= enough;
}

/** A newest model, as far as it says what is new after it. */
export interface CountedModel {
  readonly modelId: string;
  /** time when its training was submitted */
  readonly submittedMs: number;
  /** events of the dataset when it was trained; null: it does not say */
  readonly eventsRead: number | null;
}

/** The state in which every later event counts as new. Without a model, all events are new. */
export function countFrom(model: CountedModel | null, events: number, nowMs: number) {
  return {
    model_id: model?.modelId ?? null,
    since_ts: model?.submittedMs ?? nowMs,
    known_events: model === null ? 0 : (model.eventsRead ?? events),
  };
}

/**
 * The state after a training without a model. After a canceled one, the project waits for the next round. A failed one is
 * retried, later each time.
 */
export function afterNoModel(
  state: AutomationState,
  job: Pick<Job, 'job_status' | 'finished_ts' | 'failure_reason'> | null,
  { events, nowMs, firstBackOffMs }: { events: number; nowMs: number; firstBackOffMs: number },
): AutomationState {
  const ended = { ...state, training_job_id: null };
  if (job === null) return ended;
  if (job.job_status === 'CANCELLED') return { ...ended, since_ts: nowMs, known_events: events, message: null };
  const failures = state.failures + 1;
  const waitMs = Math.min(firstBackOffMs * 2 ** (failures - 1), LONGEST_BACK_OFF_MS);
  const message = job.failure_reason?.message ?? 'The training failed.';
  return { ...ended, failures, not_before_ts: (job.finished_ts ?? nowMs) + waitMs, message };
}
