// The two moments at which a list is requested: a user arrives (home page, mail) or is browsing, inside a visit. They are different
// questions, and a model may have a ranker for each.
import type { UserSignal } from './user-signal.ts';
import { visitGapMs } from './visits.ts';

export type Moment = 'arriving' | 'browsing';

/** Events that are not stored (session_events) are part of the signal and count too. */
export function momentOf({ history }: Pick<UserSignal, 'history'>, nowMs: number): Moment {
  return momentAt(history.length, (n) => history[n].ts, nowMs);
}

/**
 * The moment after `count` events, newest first. A time slightly in the future counts as now. One further ahead is wrong and
 * ignored; otherwise its user would count as browsing until that time.
 */
export function momentAt(count: number, tsOf: (n: number) => number, nowMs: number): Moment {
  const gapMs = visitGapMs('times');
  let n = 0;
  while (n < count && tsOf(n) > nowMs + gapMs) n++;
  return n < count && nowMs - tsOf(n) <= gapMs ? 'browsing' : 'arriving';
}
