// What of a model decides how a user's touches are read: the formulas of `continue` and `again`, and the defaults for models
// that were trained before they were learned. Training and serving use the same functions.
import type { G1Model, LearnedObjectives } from '../artifact/g1-model.ts';
import { DAY_MS } from '../base/durations.ts';
import { visitGapMs } from './visits.ts';

export const AGAIN_HALF_LIFE_DAYS = 90;

/** How strongly an event shows that the user is not done with an item: a view, and a stronger event. */
const VIEW_STRENGTH = 1;
const STRONGER = 4;

export interface ObjectiveRules extends LearnedObjectives {
  readonly targetEventType: string;
}

export function objectiveRulesOf(
  model: Pick<G1Model, 'objectives' | 'repeats' | 'targetEventType' | 'typeWeights'>,
): ObjectiveRules {
  const { targetEventType, typeWeights, repeats } = model;
  return {
    targetEventType,
    ...(model.objectives ?? {
      auto: repeats.recommendSeen ? 'any' : 'discover',
      touchStrengths: strengthsByWeight(typeWeights, targetEventType),
      visitGapMs: visitGapMs('times'),
      againHalfLifeDays: AGAIN_HALF_LIFE_DAYS,
    }),
  };
}

/** The most frequent type besides the target is the view, every other is stronger. `counts`: events of each type. */
export function touchStrengths(
  counts: Readonly<Record<string, number>>,
  targetEventType: string,
): Record<string, number> {
  const others = Object.keys(counts).filter((type) => type !== targetEventType);
  const most = Math.max(...others.map((type) => counts[type]));
  return Object.fromEntries(others.map((type) => [type, counts[type] === most ? VIEW_STRENGTH : STRONGER]));
}

/** Used if there are no counts: types with the smallest weight count as views. */
function strengthsByWeight(weights: Readonly<Record<string, number>>, targetEventType: string): Record<string, number> {
  const others = Object.keys(weights).filter((type) => type !== targetEventType);
  const least = Math.min(...others.map((type) => weights[type]));
  return Object.fromEntries(others.map((type) => [type, weights[type] === least ? VIEW_STRENGTH : STRONGER]));
}

/** A type the model has never seen counts like a view. */
export function touchStrength({ touchStrengths }: Pick<LearnedObjectives, 'touchStrengths'>, type: string): number {
  return Object.hasOwn(touchStrengths, type) ? touchStrengths[type] : VIEW_STRENGTH;
}

/** log2(1 + Σ s) · (1 + age / 24 h)^−1 */
export function continueScore(strength: number, ageMs: number): number {
  return Math.log2(1 + strength) / (1 + ageMs / DAY_MS);
}

/** What one visit with a target event adds to the score for `again`. */
export function againScore(ageMs: number, halfLifeDays: number): number {
  return 2 ** (-ageMs / (halfLifeDays * DAY_MS));
}
