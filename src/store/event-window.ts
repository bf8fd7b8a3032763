// Windows of time that events are counted in. Those of up to two hours are counted to the minute; longer ones begin at the
// nearest full hour and end with the hour of now.
import { MINUTE_MS } from '../base/durations.ts';
import { MAX_WINDOW_HOURS } from '../domain/top-list.ts';

/** The longest window that is counted by the minute, in minutes. Longer ones are counted by the hour. */
export const MAX_MINUTE_WINDOW = 120;

/** Minutes since 1970: [from, to). */
export interface EventWindow {
  from: number;
  to: number;
}

/** The last hours up to the current minute, or up to the current hour for long windows. */
export function windowBefore(nowMs: number, hours: number): EventWindow {
  const to = Math.floor(nowMs / MINUTE_MS) + 1;
  if (hours * 60 <= MAX_MINUTE_WINDOW) return { from: to - hours * 60, to };
  const thisHour = Math.floor((to - 1) / 60);
  const first = Math.max(thisHour - MAX_WINDOW_HOURS, Math.round(to / 60 - hours));
  return { from: first * 60, to: (thisHour + 1) * 60 };
}

/** The `hours` before a window begins. */
export function windowBeforeWindow({ from }: EventWindow, hours: number): EventWindow {
  const to = Math.floor(from / 60);
  return { from: (to - hours) * 60, to: to * 60 };
}
