// Reports the age of deployed models in /metrics, because a model that is never trained again gets worse unnoticed.
import { type Runtime, systemRuntime } from '../base/runtime.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { DeploymentStore } from '../store/deployment-store.ts';

/** Most projects reported, one line each. The oldest models matter. */
const MAX_PROJECTS = 100;

export function addModelAges(
  metrics: Metrics,
  deployments: Pick<DeploymentStore, 'oldestModels'>,
  runtime: Runtime = systemRuntime,
): void {
  const help = `Seconds since the deployed model of a project was trained, of the ${MAX_PROJECTS} oldest.`;
  metrics.gauges('kindred_model_age_seconds', help, ['project_id'], async () => {
    const nowMs = runtime.nowMs();
    return (await deployments.oldestModels(MAX_PROJECTS)).map(({ project_id, trained_ts }) => ({
      labels: { project_id },
      value: Math.max(0, nowMs - trained_ts) / 1000,
    }));
  });
}
