// How much a user's events with an item count, the same in training, serving, insight and `evaluate`. One event adds
//   type weight · value shape · 2^(−age / half-life)
// to its item's sum, and the item weighs log2(1 + sum), or the sum itself up to a cap where values count linearly. An event of
// the target type with an ordinary value, and no age, makes its item weigh 1.
//
// Age is counted from the newest event that counts. A question of training ends its history where it is asked, and serving has all
// events up to now, so both measure from the same moment.

import type { G1Model } from '../artifact/g1-model.ts';
import { DAY_MS } from '../base/durations.ts';

/**
 * How a value counts. `log`: by the logarithm of the sum. `linear`: in units of an ordinary value, up to a cap. `relative`: in
 * units of the user's own mean value, as with ratings. `none`: not at all (models of version 0.1.0 only).
 */
export type ValueShape = 'log' | 'linear' | 'relative' | 'none';

export interface HistoryRules {
  readonly valueShape: ValueShape;
  /** an ordinary value: what `linear` counts in */
  readonly valueUnit: number;
  /** most distinct items that count, the newest ones */
  readonly historyCap: number;
  /** milliseconds after which an event counts half; null: age does not matter */
  readonly halfLifeMs: number | null;
}

/** Number of newest distinct items that count by default. */
export const DEFAULT_HISTORY_CAP = 1000;
/** Larger values count like this one: no single event outweighs all others. */
export const MAX_EVENT_VALUE = 1e6;
const LINEAR_CAP = 10;

/** What one event adds to the sum of its item, before its age; 0 if it is not a positive signal. */
export function eventStrength(rules: HistoryRules, typeWeight: number, value: number, meanValue: number): number {
  if (!(value > 0)) return 0;
  switch (rules.valueShape) {
    case 'log':
      return typeWeight * Math.min(value, MAX_EVENT_VALUE);
    case 'linear':
      return typeWeight * Math.min(value / rules.valueUnit, LINEAR_CAP);
    case 'relative':
      return typeWeight * (Math.min(value, MAX_EVENT_VALUE) / meanValue);
    case 'none':
      return typeWeight;
  }
}

/** Never 0: a sum that decayed to nothing is still an entry. */
export function entryWeight(rules: HistoryRules, sum: number): number {
  return Math.max(1e-6, rules.valueShape === 'linear' ? Math.min(sum, LINEAR_CAP) : Math.log2(1 + sum));
}

/** The rules a model was trained with. */
export function historyRulesOf({ settings, historyCap }: Pick<G1Model, 'settings' | 'historyCap'>): HistoryRules {
  const { value_weighting: shape, value_unit: unit, half_life_days: halfLifeDays } = settings;
  return {
    valueShape: shape === 'linear' || shape === 'relative' || shape === 'none' ? shape : 'log',
    valueUnit: typeof unit === 'number' && unit > 0 ? unit : 1,
    historyCap,
    halfLifeMs: typeof halfLifeDays === 'number' ? halfLifeDays * DAY_MS : null,
  };
}
