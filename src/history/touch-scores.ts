// The order of `continue` and `again`: what a user's own touches of an item score. Serving and the figures of a model use the same.
import { continueScore } from './objective-rules.ts';
import type { Touch } from './touches.ts';

export interface TouchScore {
  readonly score: number;
  /** decides between equal scores: the newer first */
  readonly ts: number;
}

/** An item of the list. What was taken in one visit is equal in score and time: then the more popular item comes first. */
export interface OwnItem extends TouchScore {
  readonly item: number;
  readonly popularity: number;
}

/** Returns 0 if nothing distinguishes the two. */
export function byOwnOrder(a: OwnItem, b: OwnItem): number {
  return b.score - a.score || b.ts - a.ts || b.popularity - a.popularity;
}

/** Returns null if the objective does not recommend the item. */
export type ScoreTouch = (touch: Touch, nowMs: number) => TouchScore | null;

export const TOUCH_SCORES: Readonly<Record<'continue' | 'again', ScoreTouch>> = {
  continue: ({ openStrength, openTs }, nowMs) =>
    openStrength > 0 ? { score: continueScore(openStrength, Math.max(0, nowMs - openTs)), ts: openTs } : null,
  again: ({ visits, againScore, visitTs }) => (visits > 0 ? { score: againScore, ts: visitTs } : null),
};
