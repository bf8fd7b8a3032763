// What happens to machines: they are paused, suspended, killed and started again, cut off from the store, stopped, and their clocks jump.
import { LONGEST_BACK_OFF_MS } from '../../src/store/job-queue.ts';
import { ApiNode } from './api-node.ts';
import { callOnce } from './callers.ts';
import { Machine } from './machine.ts';
import { ACCOUNT, PROJECT } from './names.ts';
import type { Cluster } from './simulate.ts';
import { SWEEP_GRACE_MS } from './simulated-sweep.ts';
import { WorkerNode } from './worker-node.ts';

/** How often each strikes where none is left out. */
export const FAULTS = { pause: 3, kill: 1, cut: 1, clock: 1, stop: 1 } as const;

/** of each type of jobs, when all is quiet */
const BACKLOG = 1;
/** When all is quiet for this long, a job that still waits for its retry is not waited for: the clocks of all machines go ahead. */
const CLOCKS_GO_MS = 6000;

export type FaultName = keyof typeof FAULTS;

const DOES: Record<FaultName, (cluster: Cluster, one: ApiNode | WorkerNode) => void> = {
  pause(cluster, one) {
    const { world, conditions, witness } = cluster;
    const { random } = world;
    // For less than a node's lease, for about as long, and for so long that others go on without it or forget it.
    const awayMs = conditions.pauseMs * (random.chance(0.3) ? random.next() : 0.85 + 0.3 * random.next());
    if (random.chance(conditions.suspendedShare)) {
      one.machine.suspend();
      witness.counts.suspend++;
    } else one.machine.pause();
    // What others change while the machine is away it must know when it is back, before it answers calls that waited.
    if (random.chance(conditions.busyPauses)) {
      callOnce(cluster, random.pick(['shutDown', 'shutDown', 'deploy', 'deleteModel']));
      world.schedule(random.next() * awayMs, () => {
        if (!cluster.isQuiet) callOnce(cluster, 'deploy');
      });
    }
    world.schedule(awayMs, () => comeBack(cluster, one));
  },
  kill(cluster, one) {
    one.machine.kill();
    later(cluster, 6000, () => (one instanceof ApiNode ? startNode(cluster) : restart(cluster, one)));
  },
  cut(cluster, { machine }) {
    machine.isCutOff = true;
    later(cluster, 9000, () => {
      machine.isCutOff = false;
    });
  },
  clock(_, { machine }) {
    machine.jumpClock();
  },
  stop(cluster, one) {
    cluster.witness.leavingNodes.add(one.machine.name);
    const ended = () => one.machine.kill();
    cluster.calls.watch('stop', one.machine, one.stop()).then(ended, ended);
    later(cluster, 3000, () => (one instanceof ApiNode ? startNode(cluster) : startWorker(cluster)));
  },
};

export function strike(cluster: Cluster): void {
  const { world, nodes, workers, conditions } = cluster;
  const { struck } = conditions;
  const all = [...(struck === 'workers' ? [] : nodes), ...(struck === 'nodes' ? [] : workers)];
  const up = all.filter(({ machine }) => machine.isUp);
  if (up.length === 0 || conditions.faults.length === 0) return;
  const one = world.random.pick(up);
  const fault = world.random.pick(conditions.faults);
  const act = () => {
    if (!one.machine.isUp || cluster.isQuiet) return;
    world.note(`${fault} ${one.machine.name}`);
    cluster.witness.counts[fault]++;
    DOES[fault](cluster, one);
  };
  // A worker without a job has nothing to lose.
  if (one instanceof WorkerNode && world.random.chance(0.7)) one.whenAtWork(act);
  else act();
}

/** While a rare call is under way: a machine comes back, or a client calls. */
export function disturb(cluster: Cluster): void {
  const { world, nodes, workers, conditions } = cluster;
  // Those that others may have given up on meanwhile.
  const away = [...nodes, ...workers].filter(({ machine }) => machine.awayMs > 0.85 * conditions.pauseMs);
  if (away.length > 0 && world.random.chance(0.8)) comeBack(cluster, world.random.pick(away));
  else if (!cluster.isQuiet) callOnce(cluster, conditions.disturbance);
}

function comeBack(cluster: Cluster, one: ApiNode | WorkerNode): void {
  one.machine.goOn();
  if (one instanceof ApiNode && one.isStarted) callOnce(cluster, 'recommend', one);
}

/** No more faults: every machine goes on, and there is a node and a worker. */
export function heal(cluster: Cluster): void {
  const { network, work, nodes, workers, shared, world, witness, receiver } = cluster;
  cluster.isQuiet = true;
  network.heal();
  if (receiver !== null) receiver.downShare = 0;
  work.failedShare = 0;
  work.longestWorkMs = 10;
  if (work.sweeping !== null) work.sweeping.graceMs = SWEEP_GRACE_MS;
  shared.rows('UPDATE project SET automation = NULL');
  for (const { machine } of [...nodes, ...workers]) {
    machine.isCutOff = false;
    if (machine.isPaused) machine.goOn();
    // As if all had waited until it counts as dead, which every deployment that still waits would do.
    if (machine.isAlive) continue;
    witness.leavingNodes.add(machine.name);
    shared.rows('DELETE FROM node WHERE node_id = ?', machine.name);
  }
  world.note('quiet');
  callOffBacklog(cluster);
  world.schedule(CLOCKS_GO_MS, () => world.moveWallClocks(LONGEST_BACK_OFF_MS));
  // As in a roll-out: a worker that knows more than the store does not stay to put it right.
  if (world.random.chance(0.5)) for (const worker of workers) stopInPeace(cluster, worker);
  startWorker(cluster);
  startNode(cluster);
}

function stopInPeace({ calls }: Cluster, worker: WorkerNode): void {
  calls.watch('stop', worker.machine, worker.stop()).catch(() => {});
}

/** Jobs behind the first ones run one after the other without any fault: they say nothing new. */
function callOffBacklog({ shared }: Cluster): void {
  const { jobs } = shared.direct();
  const waiting = new Map<string, number>();
  const sql = `SELECT job_id, job_type FROM job WHERE job_status = 'PENDING' AND parent_job_id IS NULL
    ORDER BY created_ts, job_id`;
  for (const { job_id, job_type } of shared.rows(sql)) {
    const before = waiting.get(String(job_type)) ?? 0;
    waiting.set(String(job_type), before + 1);
    if (before >= BACKLOG) void jobs.cancel(ACCOUNT, PROJECT, String(job_id), 1_800_000_000_000);
  }
}

export function startNode(cluster: Cluster): void {
  const { world, shared, nodes, network, conditions, receiver } = cluster;
  const options = { ...conditions, receiver };
  const node = new ApiNode(new Machine(world, `node${nodes.length}`), shared, network, options);
  nodes.push(node);
  world.note(`start ${node.machine.name}`);
  // A start that fails ends the process, and it is started again.
  cluster.calls.watch('start', node.machine, node.start()).catch(() => {
    node.machine.kill();
    startNode(cluster);
  });
}

export function startWorker(cluster: Cluster): void {
  const { world, shared, workers, network, work } = cluster;
  const worker = new WorkerNode(new Machine(world, `worker${workers.length}`), shared, network, work);
  workers.push(worker);
  world.note(`start ${worker.machine.name}`);
  worker.start();
}

/** As a supervisor does: sometimes it tells the queue that its worker is dead. */
function restart(cluster: Cluster, dead: WorkerNode): void {
  const { world, shared } = cluster;
  if (world.random.chance(0.5)) {
    const reason = { code: 'WORKER_LOST', message: 'dead' };
    void shared.direct().queue.takeBackFrom(dead.machine.name, { reason, backOffMs: 200, nowMs: 1_800_000_000_000 });
  }
  startWorker(cluster);
}

function later({ world }: Cluster, maxMs: number, action: () => void): void {
  world.schedule(200 + world.random.next() * maxMs, action);
}
