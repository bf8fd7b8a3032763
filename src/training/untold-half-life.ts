// Learns how fast popularity fades if hardly any questions come after one date, as on a news site whose visitors do not
// come back. Compares what was popular before a date with what each user chose first after it.

import { DAY_MS } from '../base/durations.ts';
import { nthSmallestOf } from '../dataset/nth-smallest.ts';
import type { EventPart } from '../dataset/training-events.ts';
import { sureGain } from '../domain/compare.ts';
import { type CountedEvents, popularityValues } from '../experts/popularity.ts';

/** The time after the date is the newest week, or the newest fifth of the target events if that is shorter. */
const AFTER_MS = 7 * DAY_MS;
const AFTER_SHARE = 0.2;
/** With fewer users after the date, the first half-life is used. */
const MIN_USERS = 100;
/** Most users asked. Of more users, every second, third and so on is asked. */
const MOST_USERS = 200_000;
const CUTOFF = 10;

/**
 * Returns the half-life in days: the first, unless the ten most popular items by another clearly contain more of what
 * users chose next.
 */
export async function untoldHalfLife(
  counted: CountedEvents,
  halfLivesDays: readonly (number | null)[],
): Promise<number | null> {
  const [first, ...others] = halfLivesDays;
  if (others.length === 0) return first;
  const cutTs = await dateOf(counted);
  const chosen = await firstChosen(counted, cutTs);
  if (chosen.length < MIN_USERS) return first;
  const hiddenOf = (part: EventPart) => {
    const hidden = counted.hiddenOf?.(part);
    return Uint8Array.from(part.ts, (ts, event) => (ts >= cutTs ? 1 : (hidden?.[event] ?? 0)));
  };
  const values = await popularityValues(
    { ...counted, nowTs: cutTs, hiddenOf },
    halfLivesDays.map((days) => days && days * DAY_MS),
  );
  const [before, ...found] = values.map((popularity) => gainsOf(popularity, chosen));
  let best = { days: first, gain: 0 };
  for (const [n, own] of found.entries()) {
    const gain = sureGain(own, before);
    if (gain > best.gain) best = { days: others[n], gain };
  }
  return best.days;
}

async function dateOf(counted: CountedEvents): Promise<number> {
  const [fifth = counted.nowTs] = await nthSmallestOf(
    (visit) => eachTarget(counted, (_, ts) => visit(ts)),
    (count) => [Math.floor(count * (1 - AFTER_SHARE))],
  );
  return Math.max(fifth, counted.nowTs - AFTER_MS);
}

/** The first item of each user from a time on: users are independent, their events are not. */
async function firstChosen(counted: CountedEvents, fromTs: number): Promise<number[]> {
  const step = Math.ceil(counted.events.userCount / MOST_USERS);
  const chosen: number[] = [];
  let last = -1;
  await eachTarget(counted, (item, ts, user) => {
    if (ts < fromTs || user === last || user % step !== 0) return;
    last = user;
    chosen.push(item);
  });
  return chosen;
}

/** The DCG of the most popular items for each of what was chosen. */
function gainsOf(popularity: Float32Array, chosen: readonly number[]): Float64Array {
  const top = [...popularity.keys()].sort((a, b) => popularity[b] - popularity[a] || a - b).slice(0, CUTOFF);
  const gains = new Map(top.map((item, place) => [item, 1 / Math.log2(place + 2)]));
  return Float64Array.from(chosen, (item) => gains.get(item) ?? 0);
}

async function eachTarget(
  { events, hiddenOf }: CountedEvents,
  visit: (item: number, ts: number, user: number) => void,
): Promise<void> {
  for await (const part of events.parts()) {
    const { userCount, firstUser, userOffsets, type, item, ts, targetType } = part;
    const hidden = hiddenOf?.(part);
    for (let user = 0; user < userCount; user++) {
      for (let event = userOffsets[user]; event < userOffsets[user + 1]; event++) {
        if (type[event] === targetType && hidden?.[event] !== 1) visit(item[event], ts[event], firstUser + user);
      }
    }
  }
}
