// One run of the simulation: nodes and workers start, clients call, faults strike for some seconds of virtual time; then everything
// heals, every job must end, and the service must work. All of it follows from the seed.
import type { ApiNode } from './api-node.ts';
import { callAtOnce } from './callers.ts';
import { type Conditions, pickConditions } from './conditions.ts';
import { type Counts, NO_COUNTS } from './counts.ts';
import { disturb, heal, startNode, startWorker, strike } from './faults.ts';
import { Network } from './network.ts';
import { OpenCalls } from './open-calls.ts';
import { deployModel, keepBeginning, prepare } from './prepare.ts';
import { Receiver } from './receiver.ts';
import { checkCallsEnd, checkDelivered, checkLists, checkMemory, checkService, checkSwept } from './service-check.ts';
import { SharedStore } from './shared-store.ts';
import { ITEMS } from './simulated-models.ts';
import type { WorkOptions } from './simulated-work.ts';
import { withVirtualSystem } from './virtual-system.ts';
import { Witness } from './witness.ts';
import type { WorkerNode } from './worker-node.ts';
import { World } from './world.ts';

const START_MS = 60_000;
const QUIET_MS = 20 * 60_000;

export interface Run {
  readonly seed: number;
  readonly broken: readonly string[];
  /** differs if anything that was noted differs */
  fingerprint(): string;
  readonly counts: Counts;
}

export interface Cluster {
  readonly conditions: Conditions;
  readonly world: World;
  readonly shared: SharedStore;
  readonly network: Network;
  readonly work: WorkOptions;
  readonly witness: Witness;
  readonly calls: OpenCalls;
  /** null: nobody wants deliveries */
  readonly receiver: Receiver | null;
  readonly nodes: ApiNode[];
  readonly workers: WorkerNode[];
  /** whether calls and faults have ended */
  isQuiet: boolean;
}

export async function simulate(seed: number, trace: ((line: string) => void) | null = null): Promise<Run> {
  const world = new World(seed, trace);
  // It takes random bytes, which must not be those of the first run.
  await keepBeginning(new SharedStore(() => 0));
  return withVirtualSystem(world, () => run(seed, world));
}

async function run(seed: number, world: World): Promise<Run> {
  const { random } = world;
  const conditions = pickConditions(random);
  const { chaosMs, longestWorkMs, failedShare, sweepGraceMs, receiverDownShare } = conditions;
  const sweeping = sweepGraceMs === null ? null : { graceMs: sweepGraceMs };
  const shared = new SharedStore(() => world.nowMs, conditions.keptChanges);
  const receiver = receiverDownShare === null ? null : new Receiver(world, receiverDownShare);
  await prepare(shared, conditions.automationPollMs !== null, receiver !== null);
  // Lists of users without events are not kept.
  for (const user_id of conditions.users) {
    const item_id = random.pick(ITEMS);
    shared.records.putEvent({ event_id: `first of ${user_id}`, user_id, item_id, ts: 1_780_000_000_000 });
  }
  const cluster: Cluster = {
    conditions,
    world,
    shared,
    nodes: [],
    workers: [],
    work: { longestWorkMs, failedShare, sweeping },
    network: new Network(world),
    witness: new Witness(world, shared, receiver),
    receiver,
    calls: new OpenCalls(),
    isQuiet: false,
  };
  const { witness } = cluster;
  cluster.network.disturb = () => disturb(cluster);
  witness.afterStep();
  // Else there is nothing to roll back to in most runs.
  if (conditions.calls.includes('rollBack')) await deployModel(shared, 'second', 10);
  witness.afterStep();
  // What a run begins with did not happen in it.
  Object.assign(witness.counts, NO_COUNTS);
  const runUntil = (untilMs: number, isOver: () => boolean) =>
    world.runUntil(
      untilMs,
      () => witness.broken.length > 0 || isOver(),
      () => witness.afterStep(),
    );
  for (let n = 0; n < conditions.nodes; n++) startNode(cluster);
  for (let n = 0; n < conditions.workers; n++) startWorker(cluster);
  // Before a node has loaded its models there is nobody to call, and a start would be most of what a short run sees.
  await runUntil(START_MS, () => cluster.nodes.every(({ isStarted }) => isStarted));

  cluster.network.begin(conditions.network);
  const endsMs = world.nowMs + chaosMs;
  const again = (everyMs: number, action: () => void, firstMs = 2 * everyMs) =>
    void world.schedule(random.next() * firstMs, () => {
      if (cluster.isQuiet) return;
      action();
      again(everyMs, action);
    });
  again(conditions.callEveryMs * conditions.callsAtOnce, () => callAtOnce(cluster));
  // Early enough that a pause is over before the end.
  const firstFaultMs = Math.min(chaosMs / 5, 2 * conditions.faultEveryMs);
  const strikeOne = () => {
    witness.counts.faults++;
    strike(cluster);
  };
  again(conditions.faultEveryMs, strikeOne, firstFaultMs);
  await runUntil(endsMs, () => false);

  heal(cluster);
  await runUntil(endsMs + QUIET_MS, () => cluster.network.isHealed && witness.openJobs === 0);
  if (witness.broken.length === 0) witness.checkJobsEnded();
  if (witness.broken.length === 0) await checkCallsEnd(cluster, endsMs, runUntil);
  if (witness.broken.length === 0) await checkLists(cluster, runUntil);
  if (witness.broken.length === 0) await checkMemory(cluster, runUntil);
  if (witness.broken.length === 0 && conditions.isServiceChecked) await checkService(cluster, runUntil);
  if (witness.broken.length === 0) await checkSwept(cluster, runUntil);
  if (witness.broken.length === 0) await checkDelivered(cluster, runUntil);
  const counts = {
    ...witness.counts,
    steps: world.steps,
    lostMessages: cluster.network.lost,
  };
  return { seed, broken: witness.broken, fingerprint: () => world.fingerprint(), counts };
}
