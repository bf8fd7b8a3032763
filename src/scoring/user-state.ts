// What a recommender knows about a user before it scores: the history, and the terms that join the score.
import type { AttributeLifts } from '../cold-start/attribute-lifts.ts';
import type { ScoringHistory } from '../history/user-signal.ts';
import type { Basis } from './reason.ts';

export interface UserState {
  readonly basis: Basis;
  readonly history: ScoringHistory;
  readonly lifts: readonly LiftTerm[];
  /** disliked warm items, newest first; null if there are none */
  readonly disliked: ScoringHistory | null;
}

export interface LiftTerm {
  readonly kind: 'user-attribute' | 'context';
  readonly lifts: AttributeLifts;
  readonly features: readonly number[];
  readonly weight: number;
}
