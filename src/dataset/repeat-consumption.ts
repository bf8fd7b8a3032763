// Whether users genuinely come back to items: they buy coffee again, but a sofa once. Views and carts do not count, nor does the
// same item within a day: a purchase that is recorded twice, or returned to within one errand, is one.
// A crawler or a shared account comes back thousands of times, which says nothing of anyone else: no user counts like more than
// 100 events.

import { DAY_MS } from '../base/durations.ts';
import type { TimeScale } from '../history/visits.ts';
import type { TrainingEvents } from './training-events.ts';

export interface RepeatConsumption {
  /** target events, those of the same user and item within 24 hours as one, that return to an item */
  readonly share: number;
  readonly returns: number;
  readonly genuine: boolean;
}

const GENUINE_SHARE = 0.15;
const MIN_RETURNS = 100;
/** A user with more counts like this many, with the user's own share of returns: too few to be MIN_RETURNS alone. */
const MOST_OF_USER = 100;

export async function repeatConsumption(all: TrainingEvents, scale: TimeScale): Promise<RepeatConsumption> {
  // Places in a sequence are no times: nothing is merged there.
  const oneErrandMs = scale === 'order' ? 0 : DAY_MS;
  const owner = new Int32Array(all.itemCount).fill(-1);
  const countedTs = new Float64Array(all.itemCount);
  let events = 0;
  let returns = 0;
  for await (const { userCount, userOffsets, firstUser, type, targetType, item: itemOf, ts } of all.parts()) {
    for (let user = 0; user < userCount; user++) {
      let ownEvents = 0;
      let ownReturns = 0;
      for (let event = userOffsets[user]; event < userOffsets[user + 1]; event++) {
        if (type[event] !== targetType) continue;
        const item = itemOf[event];
        if (owner[item] === firstUser + user) {
          if (ts[event] - countedTs[item] < oneErrandMs) continue;
          ownReturns++;
        }
        owner[item] = firstUser + user;
        countedTs[item] = ts[event];
        ownEvents++;
      }
      const counted = Math.min(1, MOST_OF_USER / Math.max(1, ownEvents));
      events += counted * ownEvents;
      returns += counted * ownReturns;
    }
  }
  const share = events === 0 ? 0 : returns / events;
  return { share, returns: Math.floor(returns), genuine: share >= GENUINE_SHARE && returns >= MIN_RETURNS };
}
