// Decides whether a model that automation trained is deployed. The reason is one sentence that people read in the console.
import type { Automation, Decision, ModelComparison } from '../domain/automation.ts';
import type { Deployment } from '../domain/model.ts';

export interface DecisionInput {
  readonly rule: Automation['deploy'];
  readonly comparison: ModelComparison | null;
  /** the deployment that serves now */
  readonly active: Pick<Deployment, 'generator_model_id' | 'created_ts'> | null;
  readonly hasServed: boolean;
  /** time when the training began */
  readonly startedMs: number;
}

const CHANGED = 'Another model was deployed while this one was trained.';

export function decideDeployment(input: DecisionInput): { decision: Decision; reason: string } {
  const { rule, comparison, active, hasServed, startedMs } = input;
  if (rule === 'never') return { decision: 'keep', reason: 'Automation of this project does not deploy models.' };
  if (active === null) {
    return hasServed
      ? { decision: 'keep', reason: 'The project is shut down. Deploy a model to serve it again.' }
      : { decision: 'deploy', reason: 'It is the first model of the project.' };
  }
  if (rule === 'always') return { decision: 'deploy', reason: 'Automation of this project deploys every new model.' };
  if (comparison === null) {
    return active.created_ts > startedMs
      ? { decision: 'keep', reason: CHANGED }
      : { decision: 'deploy', reason: 'The file of the deployed model could not be read for a comparison.' };
  }
  if (comparison.compared_model_id !== active.generator_model_id) return { decision: 'keep', reason: CHANGED };
  return byComparison(comparison);
}

function byComparison(comparison: ModelComparison): { decision: Decision; reason: string } {
  const { verdict, users, ndcg, compared_ndcg, difference, interval } = comparison;
  if (verdict === 'too_few_users' || interval === null) {
    const found = `${users} ${users === 1 ? 'user has' : 'users have'}`;
    const reason = `Too few users to compare: ${found} enough new events. The newer model is deployed.`;
    return { decision: 'deploy', reason };
  }
  const [low, high] = interval.map(figure);
  const figures =
    `NDCG ${figure(ndcg)} against ${figure(compared_ndcg)} on the newest events of ${users.toLocaleString('en')} users ` +
    `(difference ${figure(difference)}, 95% interval ${low} to ${high}).`;
  if (verdict === 'worse') return { decision: 'reject', reason: `It is worse than the deployed model: ${figures}` };
  const beginning = verdict === 'better' ? 'It is better than' : 'It is not worse than';
  return { decision: 'deploy', reason: `${beginning} the deployed model: ${figures}` };
}

const figure = (value: number | null): string => (value ?? 0).toFixed(3);
