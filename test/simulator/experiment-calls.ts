// What clients do with experiments: they show the placement, start, stop and promote.
import type { ApiNode } from './api-node.ts';
import { PLACEMENT, PROJECT } from './names.ts';
import type { Cluster } from './simulate.ts';

export const EXPERIMENT_CALLS = { show: 12, startExperiment: 5, stopExperiment: 2, promote: 4 } as const;

const VARIANTS = ['today', 'other'];

type Does = Record<
  keyof typeof EXPERIMENT_CALLS,
  (cluster: Cluster, node: ApiNode, userId: string) => Promise<unknown>
>;

export const EXPERIMENT_DOES: Does = {
  show: ({ witness }, node, userId) => witness.watchList(node, userId, () => node.show(userId)),
  async startExperiment({ world, shared, witness }, node) {
    const models = shared.rows('SELECT model_id FROM model ORDER BY model_id').map((row) => String(row.model_id));
    const overrides = models.length === 0 ? {} : { model_id: world.random.pick(models) };
    const variants = VARIANTS.map((name, n) => ({ name, share: 1, overrides: n === 0 ? {} : overrides }));
    const made = await node.routes.call<{ experiment_id: string }>('/create-experiment', {
      project_id: PROJECT,
      placement: PLACEMENT,
      variants,
    });
    witness.experiments.experiments.get(made.experiment_id)!.startToldMs = world.nowMs;
    witness.counts.experiments++;
  },
  async stopExperiment(cluster, node) {
    const experiment_id = anyExperiment(cluster);
    if (experiment_id === null) return;
    await node.routes.call('/stop-experiment', { project_id: PROJECT, experiment_id });
    const seen = cluster.witness.experiments.experiments.get(experiment_id)!;
    seen.stopToldMs = Math.min(seen.stopToldMs, cluster.world.nowMs);
  },
  async promote(cluster, node) {
    const experiment_id = anyExperiment(cluster);
    if (experiment_id === null) return;
    const { world, witness } = cluster;
    const promote = world.random.pick(VARIANTS);
    const body = { project_id: PROJECT, experiment_id, promote };
    const { promoted } = await node.routes.call<{ promoted: string }>('/stop-experiment', body);
    if (promoted !== promote) witness.break(`${promote} was to be promoted, and ${promoted} was`);
    const seen = witness.experiments.experiments.get(experiment_id)!;
    seen.stopToldMs = Math.min(seen.stopToldMs, world.nowMs);
    seen.promotionToldMs = Math.min(seen.promotionToldMs, world.nowMs);
  },
};

/** Mostly the newest one: older ones have ended. */
function anyExperiment({ world, witness }: Cluster): string | null {
  const all = [...witness.experiments.experiments.keys()];
  if (all.length === 0) return null;
  return world.random.chance(0.7) ? all.at(-1)! : world.random.pick(all);
}
