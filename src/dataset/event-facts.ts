// Statistics of all events, by one pass over them: how many of each type, what times and values are like.
import { type TimeScale, TimeScaleReader } from '../history/visits.ts';
import type { TrainingEvents } from './training-events.ts';

export interface EventFacts {
  /** events of each type, by its number */
  readonly typeCounts: readonly number[];
  /** types that have events, in the order of their first ones */
  readonly typesSeen: readonly number[];
  readonly scale: TimeScale;
  readonly oldestTs: number;
  readonly newestTs: number;
  /** nearly the oldest and the newest: a few events far in the past or in the future do not count */
  readonly usualOldestTs: number;
  readonly usualNewestTs: number;
  /** the middle value of target events, with one digit where values are not levels: the next events then hardly change it */
  readonly ordinaryValue: number;
  /** number of different values of target events, counted up to RATING_LEVELS + 1 */
  readonly valueLevels: number;
}

/** Half stars up to ten: ratings have no more different values. */
export const RATING_LEVELS = 20;
const NEARLY_ALL = 0.999;
/** Number of events, spread evenly over all, that tell which times and values are usual. */
const SAMPLE = 100_000;

export async function eventFacts(events: TrainingEvents): Promise<EventFacts> {
  const typeCounts = events.typeNames.map(() => 0);
  const typesSeen = new Set<number>();
  const scale = new TimeScaleReader();
  const levels = new Set<number>();
  let oldestTs = Number.POSITIVE_INFINITY;
  let newestTs = Number.NEGATIVE_INFINITY;
  const step = Math.max(1, Math.floor(events.length / SAMPLE));
  const times = new Float64Array(Math.ceil(events.length / step));
  const values: number[] = [];
  for await (const part of events.parts()) {
    const { length, type, ts, value, targetType } = part;
    for (let event = 0; event < length; event++) {
      if (typeCounts[type[event]]++ === 0) typesSeen.add(type[event]);
      if (ts[event] < oldestTs) oldestTs = ts[event];
      if (ts[event] > newestTs) newestTs = ts[event];
      if (type[event] === targetType && levels.size <= RATING_LEVELS) levels.add(value[event]);
    }
    scale.add(ts, part.userOffsets);
    for (let n = Math.ceil(part.firstEvent / step); n * step < part.firstEvent + length; n++) {
      const event = n * step - part.firstEvent;
      times[n] = ts[event];
      if (type[event] === events.targetType) values.push(value[event]);
    }
  }
  times.sort();
  values.sort((a, b) => a - b);
  const middle = values[Math.floor(values.length / 2)] ?? 1;
  const timeAt = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return {
    typeCounts,
    typesSeen: [...typesSeen],
    scale: scale.scale(),
    oldestTs,
    newestTs,
    usualOldestTs: timeAt(1 - NEARLY_ALL),
    usualNewestTs: timeAt(NEARLY_ALL),
    ordinaryValue: levels.size > RATING_LEVELS ? Number(middle.toPrecision(1)) : middle,
    valueLevels: levels.size,
  };
}
