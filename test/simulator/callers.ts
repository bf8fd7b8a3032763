// Clients: each call goes to a node that is up. What a client was told goes to the witness; a call whose node died never ends.
import { type ApiNode, ITEMS } from './api-node.ts';
import { callStore } from './network.ts';
import type { Cluster } from './simulate.ts';

const USERS = ['ann', 'bob'];

const CALLS = {
  recommend: 46,
  buy: 10,
  forget: 5,
  merge: 2,
  deleteItem: 5,
  putItem: 5,
  train: 4,
  query: 3,
  deploy: 12,
  shutDown: 3,
  deleteModel: 4,
  cancel: 3,
} as const;

const BAG = Object.entries(CALLS).flatMap(([name, weight]) =>
  Array<string>(weight).fill(name),
) as (keyof typeof CALLS)[];

/** Calls a node that is up, or `node` if it is given. */
export function callOnce(cluster: Cluster, name = cluster.world.random.pick(BAG), node = anyNode(cluster)): void {
  if (node === undefined) return;
  cluster.world.note(`${name} on ${node.machine.name}`);
  // A call that fails tells its client nothing.
  void DOES[name](cluster, node).then(
    () => cluster.world.note(`${name} done`),
    (error) => cluster.world.note(`${name} failed: ${error}`),
  );
}

function anyNode({ nodes, world }: Cluster): ApiNode | undefined {
  const up = nodes.filter(({ machine, isStarted }) => machine.isUp && isStarted);
  return up.length === 0 ? undefined : world.random.pick(up);
}

const DOES: Record<keyof typeof CALLS, (cluster: Cluster, node: ApiNode) => Promise<unknown>> = {
  async recommend({ world, witness }, node) {
    const fromMs = world.nowMs;
    const userId = world.random.pick(USERS);
    witness.counts.calls++;
    try {
      const answer = await node.recommend(userId);
      world.note(`answer ${userId} v${answer.version} ${[...answer.items].join()}`);
      witness.answered(node, userId, fromMs, answer);
    } catch (error) {
      witness.failed(node, fromMs, error);
      throw error;
    }
  },
  buy(cluster, { machine }) {
    const { random, nowMs } = cluster.world;
    const [user_id, item_id] = [random.pick(USERS), random.pick(ITEMS)];
    return write(cluster, machine, (records) =>
      records.putEvent({
        event_id: `e${cluster.world.steps}`,
        user_id,
        item_id,
        ts: 1_790_000_000_000 + Math.floor(nowMs),
      }),
    );
  },
  forget(cluster, { machine }) {
    const user = cluster.world.random.pick(USERS);
    return write(cluster, machine, (records) => records.deleteEventsOf(user));
  },
  merge(cluster, { machine }) {
    return write(cluster, machine, (records) => records.mergeUsers('ann', 'bob'));
  },
  deleteItem(cluster, { machine }) {
    const item = cluster.world.random.pick(ITEMS);
    return write(cluster, machine, (records) => records.deleteItem(item));
  },
  putItem(cluster, { machine }) {
    const item = cluster.world.random.pick(ITEMS);
    return write(cluster, machine, (records) => records.putItem(item));
  },
  train: (_, node) => node.submit('TRAINING', {}),
  query: (_, node) => node.submit('QUERYING', {}),
  async deploy({ world, shared }, node) {
    const models = shared.rows('SELECT model_id FROM model ORDER BY model_id').map((row) => String(row.model_id));
    if (models.length === 0) return;
    const data = { generator_model_id: world.random.pick(models), ranker_model_id: null, qps: 1_000_000 };
    await node.submit('DEPLOYMENT', data);
  },
  async shutDown({ world, witness }, node) {
    const told = { startedMs: world.nowMs, toldMs: Number.POSITIVE_INFINITY };
    witness.shutdowns.push(told);
    if (await node.shutDown()) told.toldMs = world.nowMs;
  },
  async deleteModel({ world, shared, witness }, node) {
    const models = shared.rows('SELECT model_id FROM model ORDER BY model_id').map((row) => String(row.model_id));
    if (models.length === 0) return;
    const modelId = world.random.pick(models);
    if ((await node.deleteModel(modelId)) === 'deleted') witness.deletedModels.set(modelId, world.nowMs);
  },
  async cancel({ world, shared }, node) {
    const jobs = shared.rows(`SELECT job_id FROM job WHERE job_status IN ('PENDING', 'RUNNING') ORDER BY job_id`);
    if (jobs.length === 0) return;
    const { job_id } = world.random.pick(jobs);
    await node.store.jobs.cancel('acc_1', 'prj_1', String(job_id), node.machine.runtime.nowMs());
  },
};

function write(
  { world, shared, faults }: Cluster,
  machine: ApiNode['machine'],
  change: (records: Cluster['shared']['records']) => void,
): Promise<void> {
  return callStore(machine, faults, () => {
    change(shared.records);
    world.note(`stored ${shared.records.lastChange}`);
  });
}
