// Trained models and their deployments.
import type { AlgorithmType } from './project.ts';

/** Offline figures on held-out newest events, at cut-off 10. */
export interface ModelMetrics {
  recall: number;
  ndcg: number;
  mrr: number;
  coverage: number;
}

export interface Model {
  account_id: string;
  project_id: string;
  model_id: string;
  name: string;
  algorithm_type: AlgorithmType;
  /** As given by the developer; what auto chose stands in `training.settings`. */
  algorithm_parameters: Record<string, unknown>;
  created_ts: number;
  job_id: string;
  /** Key of the artifact in the blob store. */
  artifact_key: string;
  metrics: { model: ModelMetrics; popularity: ModelMetrics; cutoff: number; users: number } | null;
  training: Record<string, unknown>;
}

export interface Deployment {
  account_id: string;
  project_id: string;
  /** Rises by one with every switch: what an API node compares to know whether it serves the newest. */
  version: number;
  generator_model_id: string;
  ranker_model_id: string | null;
  qps: number;
  job_id: string;
  created_ts: number;
}
