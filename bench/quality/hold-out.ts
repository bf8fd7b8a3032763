// Ways to hold out a part of an event log, so that recommendations can be measured by what users did afterwards:
// - time: target events of the last days, of users who were there before; the history is everything before those days.
// - last: each user's target item that was touched last for the first time (`skip` 0; 1: the one before it, and so on); the
//   history is everything before the visit in which that item was first touched, so that no view of it leaks in. Users without
//   such an item keep all their events and are not asked.
// Events are given sorted by time.
import { DAY_MS } from '../../src/base/durations.ts';
import type { FileEvent } from '../../src/import/event-file.ts';

export type LoggedEvent = FileEvent & { ts: number };

/** What a user did after the history: distinct items with a target event. `discovered` ones had no event of any type before. */
export interface Question {
  readonly user: string;
  readonly all: readonly string[];
  readonly discovered: readonly string[];
  /** those that had a target event before */
  readonly again: readonly string[];
}

export interface HeldOut {
  readonly train: readonly LoggedEvent[];
  readonly questions: readonly Question[];
}

export function holdOutTime(events: readonly LoggedEvent[], targetType: string, days: number): HeldOut {
  const newest = events.reduce((most, event) => Math.max(most, event.ts), Number.NEGATIVE_INFINITY);
  const train = events.filter((event) => event.ts <= newest - days * DAY_MS);
  const histories = byUser(train);
  const questions: Question[] = [];
  for (const [user, later] of byUser(events.filter((event) => event.ts > newest - days * DAY_MS))) {
    const history = histories.get(user);
    const wanted = itemsOf(later, targetType);
    if (history !== undefined && wanted.size > 0) questions.push(questionOf(user, history, wanted, targetType));
  }
  return { train, questions };
}

/** `visitGapMs`: a longer gap between events of a user begins a new visit. */
export function holdOutLast(
  events: readonly LoggedEvent[],
  targetType: string,
  { skip, visitGapMs }: { skip: number; visitGapMs: number },
): HeldOut {
  const train: LoggedEvent[] = [];
  const questions: Question[] = [];
  for (const [user, own] of byUser(events)) {
    const wanted = itemsOf(own, targetType);
    const firstTouches = [...firstPlaces(own)].filter(([item]) => wanted.has(item));
    const [item, touched] = firstTouches[firstTouches.length - 1 - skip] ?? [];
    let cut = touched ?? 0;
    while (cut > 0 && own[cut].ts - own[cut - 1].ts <= visitGapMs) cut--;
    const history = cut > 0 ? own.slice(0, cut) : own;
    train.push(...history);
    if (item !== undefined && cut > 0) questions.push({ user, all: [item], discovered: [item], again: [] });
  }
  train.sort((a, b) => a.ts - b.ts);
  return { train, questions };
}

function questionOf(
  user: string,
  history: readonly LoggedEvent[],
  wanted: ReadonlySet<string>,
  targetType: string,
): Question {
  const touched = itemsOf(history, null);
  const had = itemsOf(history, targetType);
  return {
    user,
    all: [...wanted],
    discovered: [...wanted].filter((item) => !touched.has(item)),
    again: [...wanted].filter((item) => had.has(item)),
  };
}

function itemsOf(events: readonly LoggedEvent[], type: string | null): Set<string> {
  return new Set(events.filter((event) => type === null || event.type === type).map((event) => event.item));
}

/** The place of each item's first event, in the order of those places. */
function firstPlaces(events: readonly LoggedEvent[]): Map<string, number> {
  const places = new Map<string, number>();
  for (const [place, { item }] of events.entries()) if (!places.has(item)) places.set(item, place);
  return places;
}

function byUser(events: readonly LoggedEvent[]): Map<string, LoggedEvent[]> {
  const users = new Map<string, LoggedEvent[]>();
  for (const event of events) {
    const own = users.get(event.user);
    if (own === undefined) users.set(event.user, [event]);
    else own.push(event);
  }
  return users;
}
