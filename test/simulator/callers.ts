// Clients: each call goes to a node that is up. What a client was told goes to the witness; a call whose node died never ends.
import { AppError } from '../../src/errors.ts';
import type { ApiNode } from './api-node.ts';
import { EXPERIMENT_CALLS, EXPERIMENT_DOES } from './experiment-calls.ts';
import { PROJECT } from './names.ts';
import type { Cluster } from './simulate.ts';
import { ITEMS } from './simulated-models.ts';

/** How often each is called where none is left out. */
export const USER_CALLS = { recommend: 30, buy: 10, takeBack: 5, forget: 2, merge: 2 } as const;
/** With a change of an item, no list is kept any more. */
export const SERVING_CALLS = { ...USER_CALLS, deleteItem: 5, putItem: 5 } as const;
export const OTHER_CALLS = {
  train: 4,
  query: 5,
  recommendAll: 3,
  deploy: 12,
  shutDown: 3,
  deleteModel: 4,
  cancel: 3,
  rollBack: 4,
  ...EXPERIMENT_CALLS,
} as const;

export type CallName = keyof typeof SERVING_CALLS | keyof typeof OTHER_CALLS;

/** Calls a node that is up, or `node` if it is given. Resolves when the client has a response or an error. */
export function callOnce(
  cluster: Cluster,
  name = cluster.world.random.pick(cluster.conditions.calls),
  node = anyNode(cluster),
  userId = cluster.world.random.pick(cluster.conditions.users),
): Promise<void> {
  if (node === undefined) return Promise.resolve();
  cluster.world.note(`${name} on ${node.machine.name}`);
  const call = cluster.calls.watch(name, node.machine, DOES[name](cluster, node, userId));
  // A call that fails tells its client nothing.
  return call.then(
    () => cluster.world.note(`${name} done`),
    (error) => {
      cluster.world.note(`${name} failed: ${error}`);
      if (!(error instanceof AppError)) cluster.witness.break(`${name} failed on ${node.machine.name}: ${error}`);
    },
  );
}

const AT_ONCE_MS = 20;

/** Some calls about one user that reach the same node at about the same time. */
export function callAtOnce(cluster: Cluster): void {
  const { world, conditions } = cluster;
  const node = anyNode(cluster);
  const user = world.random.pick(conditions.users);
  callOnce(cluster, undefined, node, user);
  for (let n = 1; n < conditions.callsAtOnce; n++) {
    world.schedule(world.random.next() * AT_ONCE_MS, () => {
      if (!cluster.isQuiet && node?.machine.isUp && node.isStarted) callOnce(cluster, undefined, node, user);
    });
  }
}

function anyNode({ nodes, world }: Cluster): ApiNode | undefined {
  const up = nodes.filter(({ machine, isStarted }) => machine.isUp && isStarted);
  return up.length === 0 ? undefined : world.random.pick(up);
}

const DOES: Record<CallName, (cluster: Cluster, node: ApiNode, userId: string) => Promise<unknown>> = {
  ...EXPERIMENT_DOES,
  recommend: ({ witness }, node, userId) => witness.watchList(node, userId, () => node.recommend(userId)),
  buy(cluster, { machine }, user_id) {
    const { random, nowMs } = cluster.world;
    const bought = cluster.shared.records.itemsOf(user_id);
    const others = ITEMS.filter((item) => !bought.has(item));
    // What was bought before changes no list.
    const item_id = random.pick(others.length > 0 ? others : ITEMS);
    return write(cluster, machine, (records) =>
      records.putEvent({
        event_id: `e${cluster.world.steps}`,
        user_id,
        item_id,
        ts: 1_790_000_000_000 + Math.floor(nowMs),
      }),
    );
  },
  async takeBack(cluster, { machine }, userId) {
    const bought = [...cluster.shared.records.itemsOf(userId)];
    if (bought.length === 0) return;
    const item = cluster.world.random.pick(bought);
    await write(cluster, machine, (records) => records.deleteEventsOf(userId, item));
  },
  forget(cluster, { machine }, userId) {
    return write(cluster, machine, (records) => records.deleteEventsOf(userId));
  },
  merge(cluster, { machine }, userId) {
    const into = cluster.world.random.pick(cluster.conditions.users);
    if (into === userId) return Promise.resolve();
    return write(cluster, machine, (records) => records.mergeUsers(userId, into));
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
  recommendAll: (_, node) => node.submit('RECOMMENDATION', {}),
  async deploy({ world, shared }, node) {
    const models = shared.rows('SELECT model_id FROM model ORDER BY model_id').map((row) => String(row.model_id));
    if (models.length === 0) return;
    const data = { generator_model_id: world.random.pick(models), ranker_model_id: null, qps: 1_000_000 };
    await node.submit('DEPLOYMENT', data);
  },
  async rollBack({ world, witness }, node) {
    const fromMs = world.nowMs;
    const path = '/rollback-deployment';
    try {
      const { job_id } = await node.routes.call<{ job_id: string }>(path, { project_id: PROJECT });
      witness.rollBacks.submitted(fromMs, job_id);
      witness.counts.rollBacks++;
    } catch (error) {
      if (error instanceof AppError && error.code === 'NO_EARLIER_DEPLOYMENT') witness.rollBacks.refused(fromMs);
      throw error;
    }
  },
  async shutDown({ world, witness }, node) {
    const told = { startedMs: world.nowMs, toldMs: Number.POSITIVE_INFINITY };
    witness.shutdowns.push(told);
    await node.shutDown();
    told.toldMs = world.nowMs;
    witness.counts.shutdowns++;
  },
  async deleteModel({ world, shared, witness }, node) {
    const models = shared.rows('SELECT model_id FROM model ORDER BY model_id').map((row) => String(row.model_id));
    if (models.length === 0) return;
    const modelId = world.random.pick(models);
    if ((await node.deleteModel(modelId)) !== 'deleted') return;
    witness.deletedModels.set(modelId, world.nowMs);
    witness.counts.deletedModels++;
  },
  async cancel({ world, shared }, node) {
    const jobs = shared.rows(`SELECT job_id FROM job WHERE job_status IN ('PENDING', 'RUNNING')
      AND parent_job_id IS NULL ORDER BY job_id`);
    if (jobs.length === 0) return;
    const { job_id } = world.random.pick(jobs);
    await node.store.jobs.cancel('acc_1', 'prj_1', String(job_id), node.machine.runtime.nowMs());
  },
};

function write(
  { world, shared, network }: Cluster,
  machine: ApiNode['machine'],
  change: (records: Cluster['shared']['records']) => void,
): Promise<void> {
  return network.call(machine, 'write', () => {
    change(shared.records);
    world.note(`stored ${shared.records.lastChange}`);
  });
}
