// Events of a call that are not stored: they count as the user's newest, whatever their times are compared with those of stored events.
// Times in the future count as now.
import type { ObjectiveRules } from './objective-rules.ts';
import type { SignalEvent } from './user-signal.ts';

export interface SessionEvent {
  readonly item_id: string;
  /** if left out, the most frequent type besides the target, or the target if there is no other */
  readonly event_type?: string | null;
  /** if left out, 1 */
  readonly event_value?: number | null;
  /** in milliseconds; if left out, now */
  readonly ts?: number | null;
}

/** `session` is oldest first; the result is newest first, like `stored`. `itemOf`: the number of an id in the catalog. */
export function withSession(
  stored: readonly SignalEvent[],
  session: readonly SessionEvent[],
  { rules, nowMs, itemOf }: { rules: ObjectiveRules; nowMs: number; itemOf: (itemId: string) => number },
): readonly SignalEvent[] {
  if (session.length === 0) return stored;
  const isWrong = stored.length > 0 && stored[0].ts > nowMs;
  const known = isWrong ? stored.map((event) => ({ ...event, ts: Math.min(event.ts, nowMs) })) : stored;
  const storedMs = known[0]?.ts ?? Number.NEGATIVE_INFINITY;
  const viewType = viewTypeOf(rules);
  const events = session.map(({ item_id, event_type, event_value, ts }) => ({
    item_id,
    item: itemOf(item_id),
    event_type: event_type ?? viewType,
    event_value: event_value ?? 1,
    ts: Math.max(Math.min(ts ?? nowMs, nowMs), storedMs),
  }));
  // Both sorts are stable: of events with equal times, the last written comes first.
  return [...events.reverse(), ...known].sort((a, b) => b.ts - a.ts);
}

function viewTypeOf({ touchStrengths, targetEventType }: ObjectiveRules): string {
  const types = Object.keys(touchStrengths);
  const least = Math.min(...types.map((type) => touchStrengths[type]));
  return types.find((type) => touchStrengths[type] === least) ?? targetEventType;
}
