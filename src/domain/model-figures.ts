// The quality of a model, measured by questions about events that training did not see. The console uses these types too.
import type { UsedObjective } from './objective.ts';
import type { Relation, RelationMetrics } from './relation.ts';

/** Metrics on held-out newest events, at cutoff 10. */
export interface ModelMetrics {
  recall: number;
  ndcg: number;
  mrr: number;
  coverage: number;
  /** share of the lists with at least one wanted item; absent in models of version 0.1.0 */
  hit_rate?: number;
}

/** What was held out, which decides what a metric measures. See src/dataset/questions.ts. */
export const ASKED_FOR = ['next visits', 'next item', 'random fifth'] as const;
export type AskedFor = (typeof ASKED_FOR)[number];

/** Metrics of one kind of question, with those of a popularity list. */
export interface ModelMeasure {
  objective: UsedObjective;
  moment: 'arriving' | 'browsing';
  asked_for: AskedFor;
  /** number of newest days that were held out; absent if not held out by date, and in older models */
  days?: number;
  model: ModelMetrics;
  /** `continue` and `again`: the user's own items, the popular first */
  popularity: ModelMetrics;
  /** `continue` and `again`: the user's own items, the newest first */
  newest?: ModelMetrics;
  users: number;
  questions: number;
  /** 95% intervals of the mean metrics */
  intervals: { recall: [number, number]; ndcg: [number, number]; hit_rate: [number, number] };
  /** share of the top ten items that the user had touched before */
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
  /** measures by kind of question; the first one is the measure above */
  by_question?: ModelMeasure[];
  /** by relation: how well items lead to those of held-out visits */
  relations?: { [relation in Relation]?: RelationMetrics };
}
