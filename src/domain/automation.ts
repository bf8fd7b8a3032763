// The automatic steps of a project: train again, compare the new model with the deployed one, and decide whether to deploy it.

export const DEPLOY_RULES = ['if_not_worse', 'always', 'never'] as const;
export type DeployRule = (typeof DEPLOY_RULES)[number];

export const DEFAULT_KEPT_MODELS = 10;
export const MAX_KEPT_MODELS = 100;
export const MAX_RETRAIN_HOURS = 8760;
export const MAX_NEW_EVENTS = 1_000_000_000;

export interface Automation {
  /** has at least one of the two; with both, the first one that is due counts */
  retrain: { every_hours?: number; after_new_events?: number };
  deploy: DeployRule;
  /** number of newest models to keep; deployed models and the one to roll back to are always kept */
  keep_models: number;
}

/** A new model and the deployed one, asked about the same newest events that neither has seen. */
export interface ModelComparison {
  compared_model_id: string;
  verdict: 'better' | 'not_worse' | 'worse' | 'too_few_users';
  /** number of users who were asked about */
  users: number;
  /** The events in question came after this time; null when there were too few. */
  since_ts: number | null;
  /** mean NDCG at 10 over the users */
  ndcg: number | null;
  compared_ndcg: number | null;
  difference: number | null;
  /** 95% interval of the difference, paired by user */
  interval: [number, number] | null;
}

export const DECISIONS = ['deploy', 'reject', 'keep'] as const;
/** deploy: a deployment was submitted; reject: the model is worse; keep: the model is there, but automation does not deploy it. */
export type Decision = (typeof DECISIONS)[number];

export interface AutomationDecision {
  account_id: string;
  project_id: string;
  decision_id: string;
  decided_ts: number;
  decision: Decision;
  /** the reason in one sentence */
  reason: string;
  model_id: string;
  training_job_id: string;
  deployment_job_id: string | null;
  comparison: ModelComparison | null;
}
