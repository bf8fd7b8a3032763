// Automation of a project in requests and responses.
import { Type } from 'typebox';
import {
  type Automation,
  DECISIONS,
  DEFAULT_KEPT_MODELS,
  DEPLOY_RULES,
  MAX_KEPT_MODELS,
  MAX_NEW_EVENTS,
  MAX_RETRAIN_HOURS,
} from '../../domain/automation.ts';
import { invalidField } from '../../errors.ts';
import { nullable, oneOf, ServiceId, TimeMs } from './common.ts';
import { closedAs, openAs } from './named.ts';

/** What the project does automatically: trains its newest algorithm again and deploys the model. */
export const AutomationFields = closedAs('Automation', {
  retrain: closedAs('RetrainRule', {
    every_hours: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_RETRAIN_HOURS,
        description: 'Hours between the submissions of two trainings.',
      }),
    ),
    after_new_events: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_NEW_EVENTS,
        description: 'Events added since the newest model was trained.',
      }),
    ),
  }),
  deploy: Type.Optional(
    oneOf(DEPLOY_RULES, {
      description:
        'if_not_worse (default): compares the new model with the deployed one on the newest events and deploys it unless it is worse.',
    }),
  ),
  keep_models: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_KEPT_MODELS,
      default: DEFAULT_KEPT_MODELS,
      description: 'Older models are deleted, except deployed models and the one to roll back to.',
    }),
  ),
});

export const EXAMPLE_AUTOMATION = {
  retrain: { every_hours: 24, after_new_events: 10_000 },
  deploy: 'if_not_worse' as const,
  keep_models: DEFAULT_KEPT_MODELS,
};

/** Fills in the defaults. Throws if no trigger is set. */
export function readAutomation(given: {
  retrain: Automation['retrain'];
  deploy?: Automation['deploy'] | undefined;
  keep_models?: number | undefined;
}): Automation {
  const { retrain, deploy = 'if_not_worse', keep_models = DEFAULT_KEPT_MODELS } = given;
  if (retrain.every_hours === undefined && retrain.after_new_events === undefined) {
    throw invalidField('/automation/retrain', 'needs every_hours, after_new_events or both');
  }
  return { retrain, deploy, keep_models };
}

const Comparison = openAs('ModelComparison', {
  compared_model_id: ServiceId,
  verdict: oneOf(['better', 'not_worse', 'worse', 'too_few_users'] as const),
  users: Type.Integer({ description: 'Users with new events who were asked about.' }),
  since_ts: nullable(TimeMs),
  ndcg: nullable(Type.Number({ description: 'NDCG at 10 of the new model, mean over users.' })),
  compared_ndcg: nullable(Type.Number({ description: 'NDCG of the deployed model on the same events.' })),
  difference: nullable(Type.Number()),
  interval: nullable(
    Type.Array(Type.Number(), { minItems: 2, maxItems: 2, description: '95% interval of the difference.' }),
  ),
});

export const DecisionResponse = openAs('AutomationDecision', {
  decision_id: ServiceId,
  project_id: ServiceId,
  decided_ts: TimeMs,
  decision: oneOf(DECISIONS, {
    description:
      'deploy: a deployment was submitted; reject: the model is worse; keep: it is not deployed, see reason.',
  }),
  reason: Type.String(),
  model_id: ServiceId,
  training_job_id: ServiceId,
  deployment_job_id: nullable(ServiceId),
  comparison: nullable(Comparison),
});

export const StatusResponse = openAs('AutomationStatus', {
  project_id: ServiceId,
  automation: nullable(AutomationFields),
  new_events: Type.Integer({ description: 'Events added since the newest model was trained.' }),
  next_training_ts: nullable(
    Type.Integer({ description: 'When the interval is over; new events may start a training earlier.' }),
  ),
  training_job_id: nullable(ServiceId),
  failures: Type.Integer({ description: 'Trainings that failed in a row. Each one doubles the wait before the next.' }),
  message: nullable(Type.String({ description: 'What is missing, or why the last training failed.' })),
  rollback_model_id: nullable(
    Type.String({ description: 'What /rollback-deployment would deploy; null: there is no earlier model.' }),
  ),
});
