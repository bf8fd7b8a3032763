// A user's events → what the user did with each item. A touch is an event of any type, also of one that weighs nothing in the
// model. Objectives decide by touches what may be recommended, and `continue` and `again` rank by them alone.
//
// Invariants:
// - Events come newest first. Equal times are a set, not a sequence: a view at the time of a purchase is not after it.
// - A time in the future counts as now.
// - Values above 0 are a positive signal.
import { dislikesOf } from './dislikes.ts';
import { againScore, type ObjectiveRules, touchStrength } from './objective-rules.ts';
import type { SignalEvent } from './user-signal.ts';

/** No event of the kind. */
export const NEVER = -1;

/** What a user did with one item. */
export interface Touch {
  readonly item: number;
  /** newest event of the target type, whatever its value; NEVER if there is none */
  targetTs: number;
  /** newest event of another type; NEVER if there is none */
  otherTs: number;
  disliked: boolean;
  /** had an event of a type the call leaves out */
  ofExcludedType: boolean;
  /** positive touches since the newest target event: Σ s, how many, and the newest with its type */
  openStrength: number;
  openCount: number;
  openTs: number;
  openType: string;
  /** visits with a positive target event: how many, the newest such event, Σ 2^(−age / half-life) */
  visits: number;
  visitTs: number;
  againScore: number;
}

export interface TouchOptions {
  readonly rules: ObjectiveRules;
  readonly nowMs: number;
  /** number of the event's item; below 0 if there is none, then the event touches nothing */
  readonly itemOf: (event: SignalEvent) => number;
  readonly excludedTypes?: ReadonlySet<string>;
}

interface FoldedTouch extends Touch {
  lastVisit: number;
  /** of openStrength and openCount, what belongs to the time openedTs */
  strengthAtOnce: number;
  countAtOnce: number;
  openedTs: number;
}

export function touchesOf(events: readonly SignalEvent[], options: TouchOptions): Map<number, Touch> {
  const { rules, nowMs, itemOf, excludedTypes } = options;
  const touches = new Map<number, FoldedTouch>();
  let visit = 0;
  let laterTs = Number.POSITIVE_INFINITY;
  for (const event of events) {
    if (laterTs - event.ts > rules.visitGapMs) visit++;
    laterTs = event.ts;
    const item = itemOf(event);
    if (item < 0) continue;
    let touch = touches.get(item);
    if (touch === undefined) {
      touch = untouched(item);
      touches.set(item, touch);
    }
    if (excludedTypes?.has(event.event_type)) touch.ofExcludedType = true;
    if (event.event_type !== rules.targetEventType) addOther(touch, event, rules);
    else addTarget(touch, event, { rules, visit, nowMs });
  }
  for (const event of dislikesOf(events)) {
    const touch = touches.get(itemOf(event));
    if (touch) touch.disliked = true;
  }
  return touches;
}

function untouched(item: number): FoldedTouch {
  return {
    ...{ item, targetTs: NEVER, otherTs: NEVER, disliked: false, ofExcludedType: false },
    ...{ openStrength: 0, openCount: 0, openTs: NEVER, openType: '' },
    ...{ visits: 0, visitTs: NEVER, againScore: 0 },
    ...{ lastVisit: 0, strengthAtOnce: 0, countAtOnce: 0, openedTs: NEVER },
  };
}

function addOther(touch: FoldedTouch, event: SignalEvent, rules: ObjectiveRules): void {
  if (touch.otherTs === NEVER) touch.otherTs = event.ts;
  if (touch.targetTs !== NEVER || !(event.event_value > 0)) return;
  const strength = touchStrength(rules, event.event_type);
  if (event.ts !== touch.openedTs) {
    touch.openedTs = event.ts;
    touch.strengthAtOnce = 0;
    touch.countAtOnce = 0;
  }
  if (touch.openTs === NEVER) {
    touch.openTs = event.ts;
    touch.openType = event.event_type;
  }
  touch.openStrength += strength;
  touch.strengthAtOnce += strength;
  touch.openCount++;
  touch.countAtOnce++;
}

function addTarget(
  touch: FoldedTouch,
  event: SignalEvent,
  { rules, visit, nowMs }: { rules: ObjectiveRules; visit: number; nowMs: number },
): void {
  if (touch.targetTs === NEVER) {
    touch.targetTs = event.ts;
    if (touch.openedTs === event.ts) {
      touch.openStrength -= touch.strengthAtOnce;
      touch.openCount -= touch.countAtOnce;
    }
  }
  if (!(event.event_value > 0) || touch.lastVisit === visit) return;
  touch.lastVisit = visit;
  touch.visits++;
  if (touch.visitTs === NEVER) touch.visitTs = event.ts;
  touch.againScore += againScore(Math.max(0, nowMs - event.ts), rules.againHalfLifeDays);
}
