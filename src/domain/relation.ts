// How items can go together. `similar`: instead of this one. `together`: with this one, in the same basket or session. `next`:
// after this one.

export const RELATIONS = ['similar', 'together', 'next'] as const;
export type Relation = (typeof RELATIONS)[number];

/** At cut-off 10, from one item to what held-out visits show. */
export interface RelationFigures {
  recall: number;
  ndcg: number;
}

export interface RelationMetrics extends RelationFigures {
  questions: number;
  /** what the plain cosine of users, and what popularity alone would reach */
  cosine: RelationFigures;
  popularity: RelationFigures;
}
