// Relations between items. `similar`: alternatives to an item. `together`: in the same basket or session. `next`: taken after it.

export const RELATIONS = ['similar', 'together', 'next'] as const;
export type Relation = (typeof RELATIONS)[number];

/** Metrics at cutoff 10, from one item to what held-out visits show. */
export interface RelationFigures {
  recall: number;
  ndcg: number;
}

export interface RelationMetrics extends RelationFigures {
  questions: number;
  /** the figures of the plain cosine of users, and below of popularity alone */
  cosine: RelationFigures;
  popularity: RelationFigures;
}
