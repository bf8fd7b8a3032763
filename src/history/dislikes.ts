// Dislikes: the newest value other than 0 that a user gave an item is below 0. A newer positive event takes it back.
import type { SignalEvent } from './user-signal.ts';

/** The event that says so for each disliked item, newest first, as `events` are. */
export function dislikesOf(events: readonly SignalEvent[]): SignalEvent[] {
  // Most users never disliked anything. For them this is one check per value.
  if (!events.some(({ event_value }) => event_value < 0)) return [];
  const newest = new Map<string, SignalEvent>();
  for (const event of events) {
    if (event.event_value !== 0 && !newest.has(event.item_id)) newest.set(event.item_id, event);
  }
  return [...newest.values()].filter(({ event_value }) => event_value < 0);
}
