// After the faults: a model is trained and deployed and every node serves it, because a service in which nothing happens breaks no
// promise either.
import { callOnce } from './callers.ts';
import type { Cluster } from './simulate.ts';
import { orphansIn } from './simulated-sweep.ts';

const PATIENCE_MS = 60_000;
/** Longer than any wait between two attempts of a delivery, by clocks that are wrong. */
const LONGEST_RETRY_MS = 24 * 3_600_000;

type RunUntil = (untilMs: number, isOver: () => boolean) => Promise<void>;

export async function checkService(cluster: Cluster, runUntil: RunUntil): Promise<void> {
  const { world, witness, shared } = cluster;
  const node = cluster.nodes.at(-1)!;
  const ended = async (submitted: Promise<string>, what: string): Promise<Record<string, unknown>> => {
    let jobId = '';
    submitted.then((id) => {
      jobId = id;
    });
    await runUntil(world.nowMs + PATIENCE_MS, () => witness.jobs.get(jobId)?.end != null);
    const [row] = shared.rows('SELECT job_status, job_result, failure_reason FROM job WHERE job_id = ?', jobId);
    if (row?.job_status === 'SUCCEED') return JSON.parse(String(row.job_result));
    witness.break(`when all was quiet, ${what} did not succeed: ${JSON.stringify(row)}`);
    return {};
  };
  const { model_id } = await ended(node.submit('TRAINING', {}), 'a training');
  if (witness.broken.length > 0) return;
  const data = { generator_model_id: model_id, ranker_model_id: null, qps: 1_000_000 };
  await ended(node.submit('DEPLOYMENT', data), 'a deployment');
  const { responses } = witness.counts;
  const wanted = await checkLists(cluster, runUntil);
  if (witness.broken.length > 0) return;
  if (witness.counts.responses < responses + wanted)
    witness.break('when all was quiet, a deployed model did not serve');
  await checkMemory(cluster, runUntil);
}

/** A load that was under way when its model was deleted may have to end first. */
export async function checkMemory(cluster: Cluster, runUntil: RunUntil): Promise<void> {
  const { world, witness } = cluster;
  const held = () => witness.heldModels(nodesUp(cluster));
  await runUntil(world.nowMs + PATIENCE_MS, () => held().length === 0);
  for (const what of held()) witness.break(`when all was quiet, ${what}`);
}

/** Whatever was called while there were faults ends when there are none. */
export async function checkCallsEnd(cluster: Cluster, quietMs: number, runUntil: RunUntil): Promise<void> {
  const { world, witness, calls } = cluster;
  await runUntil(Math.max(world.nowMs, quietMs + PATIENCE_MS), () => calls.waiting().length === 0);
  if (witness.broken.length > 0) return;
  for (const { what, machine, sinceMs } of calls.waiting()) {
    const forSeconds = Math.round((world.nowMs - sinceMs) / 1000);
    witness.break(`when all was quiet, ${what} on ${machine.name} did not end in ${forSeconds} s`);
  }
}

/** What nobody needs any more goes, where workers sweep. */
export async function checkSwept({ world, witness, shared, work }: Cluster, runUntil: RunUntil): Promise<void> {
  if (work.sweeping === null) return;
  witness.counts.swept += orphansIn(shared).length;
  await runUntil(world.nowMs + PATIENCE_MS, () => orphansIn(shared).length === 0);
  for (const file of orphansIn(shared)) witness.break(`when all was quiet, ${file} was left though nobody needs it`);
}

/** Every delivery is tried at once, whatever the clock of who wrote it, and is made in the end. */
export async function checkDelivered({ world, witness, shared, receiver }: Cluster, runUntil: RunUntil): Promise<void> {
  if (receiver === null) return;
  const waiting = (where: string) => shared.rows(`SELECT delivery_id FROM webhook_delivery WHERE ${where}`);
  await runUntil(world.nowMs + PATIENCE_MS, () => waiting('attempts = 0').length === 0);
  for (const { delivery_id } of waiting('attempts = 0')) witness.break(`nobody has tried delivery ${delivery_id}`);
  if (witness.broken.length > 0) return;
  world.moveWallClocks(LONGEST_RETRY_MS);
  await runUntil(world.nowMs + PATIENCE_MS, () => waiting('TRUE').length === 0);
  for (const { delivery_id } of waiting('TRUE')) witness.break(`delivery ${delivery_id} was not made`);
}

/** Every list once more: what a node remembers wrongly shows itself now at the latest. Returns how many. */
export async function checkLists(cluster: Cluster, runUntil: RunUntil): Promise<number> {
  const { world, witness, conditions } = cluster;
  let wanted = 0;
  let ended = 0;
  for (const node of nodesUp(cluster)) {
    for (const user of conditions.users) {
      wanted++;
      void callOnce(cluster, 'recommend', node, user).then(() => ended++);
    }
  }
  await runUntil(world.nowMs + PATIENCE_MS, () => ended === wanted);
  if (ended < wanted && witness.broken.length === 0) witness.break('when all was quiet, a call did not end');
  return wanted;
}

const nodesUp = ({ nodes }: Cluster) => nodes.filter(({ machine, isStarted }) => machine.isUp && isStarted);
