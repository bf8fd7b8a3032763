// Trained models and their deployments.
import type { ModelFigures } from './model-figures.ts';
import type { AlgorithmType } from './project.ts';

export interface Model {
  account_id: string;
  project_id: string;
  model_id: string;
  name: string;
  algorithm_type: AlgorithmType;
  /** The parameters given in the API. What `auto` chose is in `training.settings`. */
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
