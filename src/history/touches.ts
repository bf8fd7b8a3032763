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
import { FIRST_REAL_MS } from './visits.ts';

/** Stands for a time: there is no event of the kind. */
export const NEVER = -1;

/** What a user did with one item. It is a class for speed: one is made for every item of every call. */
export class Touch {
  readonly item: number;
  /** time of the newest target event, whatever its value; NEVER if there is none */
  targetTs = NEVER;
  /** time of the newest event of another type; NEVER if there is none */
  otherTs = NEVER;
  disliked = false;
  /** had an event of a type the call leaves out */
  ofExcludedType = false;
  /** positive touches since the newest target event: Σ s, how many, and the newest with its type */
  openStrength = 0;
  openCount = 0;
  openTs = NEVER;
  openType = '';
  /** visits with a positive target event: how many, the newest such event, Σ 2^(−age / half-life) */
  visits = 0;
  visitTs = NEVER;
  againScore = 0;
  /**
   * only while folding: the last visit counted, and the parts of openStrength and openCount that belong to the time
   * atOnceTs
   */
  lastVisit = 0;
  atOnceTs = NEVER;
  strengthAtOnce = 0;
  countAtOnce = 0;

  constructor(item: number) {
    this.item = item;
  }
}

/** Whether a touch at this time still makes its item known. What has no real time has no age: it stays known. */
export function isRemembered(ts: number, nowMs: number, touchMs: number): boolean {
  return ts < FIRST_REAL_MS || nowMs - ts < touchMs;
}

export interface TouchOptions {
  readonly rules: ObjectiveRules;
  readonly nowMs: number;
  /** number of the event's item; below 0 if there is none, then the event touches nothing */
  readonly itemOf: (event: SignalEvent) => number;
  readonly excludedTypes?: ReadonlySet<string>;
}

export function touchesOf(events: readonly SignalEvent[], options: TouchOptions): Map<number, Touch> {
  const { rules, nowMs, itemOf, excludedTypes } = options;
  const touches = new Map<number, Touch>();
  let visit = 0;
  let laterTs = Number.POSITIVE_INFINITY;
  let type = rules.targetEventType;
  let strength = 0;
  for (const event of events) {
    if (laterTs - event.ts > rules.visitGapMs) visit++;
    laterTs = event.ts;
    const item = itemOf(event);
    if (item < 0) continue;
    let touch = touches.get(item);
    if (touch === undefined) {
      touch = new Touch(item);
      touches.set(item, touch);
    }
    if (excludedTypes?.has(event.event_type)) touch.ofExcludedType = true;
    if (event.event_type !== type) {
      type = event.event_type;
      strength = touchStrength(rules, type);
    }
    if (type !== rules.targetEventType) addOther(touch, event, strength);
    else if (addTarget(touch, event, visit)) {
      touch.againScore += againScore(Math.max(0, nowMs - event.ts), rules.againHalfLifeDays);
    }
  }
  for (const event of dislikesOf(events)) {
    const touch = touches.get(itemOf(event));
    if (touch) touch.disliked = true;
  }
  return touches;
}

function addOther(touch: Touch, event: SignalEvent, strength: number): void {
  if (touch.otherTs === NEVER) touch.otherTs = event.ts;
  if (touch.targetTs !== NEVER || !(event.event_value > 0)) return;
  if (event.ts !== touch.atOnceTs) {
    touch.atOnceTs = event.ts;
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

/** Whether it is the first positive one of its visit. */
function addTarget(touch: Touch, event: SignalEvent, visit: number): boolean {
  if (touch.targetTs === NEVER) {
    touch.targetTs = event.ts;
    if (touch.atOnceTs === event.ts) {
      touch.openStrength -= touch.strengthAtOnce;
      touch.openCount -= touch.countAtOnce;
    }
  }
  if (!(event.event_value > 0) || touch.lastVisit === visit) return false;
  touch.lastVisit = visit;
  touch.visits++;
  if (touch.visitTs === NEVER) touch.visitTs = event.ts;
  return true;
}
