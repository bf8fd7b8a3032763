// The two moments at which a list is requested: a user arrives (home page, mail) or is browsing, inside a visit. They are different
// questions, and a model may have a ranker for each.
import type { UserSignal } from './user-signal.ts';
import { visitGapMs } from './visits.ts';

export type Moment = 'arriving' | 'browsing';

/** Events that are not stored (session_events) are part of the signal and count too. A time in the future counts as now. */
export function momentOf({ history }: Pick<UserSignal, 'history'>, nowMs: number): Moment {
  return history.length === 0 ? 'arriving' : momentAfter(history[0].ts, nowMs);
}

/** The moment after the user's newest event. */
export function momentAfter(newestTs: number, nowMs: number): Moment {
  return nowMs - newestTs <= visitGapMs('times') ? 'browsing' : 'arriving';
}
