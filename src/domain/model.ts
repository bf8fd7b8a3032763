// Trained models and their deployments.
import type { UsedObjective } from './objective.ts';
import type { AlgorithmType } from './project.ts';
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

export interface Model {
  account_id: string;
  project_id: string;
  model_id: string;
  name: string;
  algorithm_type: AlgorithmType;
  /** As given in the API; what auto chose is in `training.settings`. */
  algorithm_parameters: Record<string, unknown>;
  created_ts: number;
  job_id: string;
  /** Key of the artifact in the blob store. */
  artifact_key: string;
  metrics: ModelFigures | null;
  training: Record<string, unknown>;
}

export interface Deployment {
  account_id: string;
  project_id: string;
  /** Increases by one with every switch. API nodes compare it to know whether they serve the newest. */
  version: number;
  generator_model_id: string;
  ranker_model_id: string | null;
  qps: number;
  job_id: string;
  created_ts: number;
}
