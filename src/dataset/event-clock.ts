// Finds the current time by the clock of those who send events. A shop that sends local time as UTC is hours ahead of this
// machine: its newest events are not mistakes, and a model that has learned from them has seen everything up to their time.
import { DAY_MS } from '../base/durations.ts';
import type { TrainingEvents } from './training-events.ts';

/** If fewer of the last day's events are ahead, a few wrong clocks are the cause. */
const FEW = 0.01;

/** The time of the newest event up to a day ahead, if more than a few are ahead; else now. */
export async function eventClockMs(events: TrainingEvents, nowMs: number): Promise<number> {
  let newest = nowMs;
  let [ahead, lastDay] = [0, 0];
  for await (const { ts } of events.parts()) {
    for (let event = 0; event < ts.length; event++) {
      if (ts[event] <= nowMs - DAY_MS || ts[event] > nowMs + DAY_MS) continue;
      lastDay++;
      if (ts[event] <= nowMs) continue;
      ahead++;
      newest = Math.max(newest, ts[event]);
    }
  }
  return ahead > FEW * lastDay ? newest : nowMs;
}
