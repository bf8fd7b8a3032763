// How good a model is, by questions about events that training did not see. Read by the console too.
import type { UsedObjective } from './objective.ts';
import type { Relation, RelationMetrics } from './relation.ts';

/** Metrics on held-out newest events, at cutoff 10. */
export interface ModelMetrics {
  recall: number;
  ndcg: number;
  mrr: number;
  coverage: number;
  /** share of the lists with at least one of the items; absent in models of version 0.1.0 */
  hit_rate?: number;
}

/** What was held out, and so what a metric measures. See src/dataset/questions.ts. */
export const ASKED_FOR = ['next visits', 'next item', 'random fifth'] as const;
export type AskedFor = (typeof ASKED_FOR)[number];

/** Metrics of one kind of question, with those of a popularity list. */
export interface ModelMeasure {
  objective: UsedObjective;
  moment: 'arriving' | 'browsing';
  asked_for: AskedFor;
  /** how many of the newest days were held back; absent where not by a date, and in models made before it was told */
  days?: number;
  model: ModelMetrics;
  /** `continue` and `again`: the user's own items, the popular first */
  popularity: ModelMetrics;
  /** `continue` and `again`: the user's own items, the newest first */
  newest?: ModelMetrics;
  users: number;
  questions: number;
  /** 95% intervals of the means */
  intervals: { recall: [number, number]; ndcg: [number, number]; hit_rate: [number, number] };
  /** share of the top ten that the user had touched before */
  touched_share: number;
}

/** The metrics of the default: the objective the data calls for, measured on arriving users if there are visits. */
export interface ModelFigures {
  model: ModelMetrics;
  popularity: ModelMetrics;
  cutoff: number;
  users: number;
  /** absent in models of version 0.1.0 */
  objective?: UsedObjective;
  moment?: 'arriving' | 'browsing';
  /** the first is the one above */
  by_question?: ModelMeasure[];
  /** from one item to what held-out visits show */
  relations?: { [relation in Relation]?: RelationMetrics };
}
