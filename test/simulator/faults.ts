// What happens to machines: they are paused, killed and started again, cut off from the store, stopped, and their clocks jump.
import { ApiNode } from './api-node.ts';
import { callOnce } from './callers.ts';
import { Machine } from './machine.ts';
import type { Cluster } from './simulate.ts';
import { WorkerNode } from './worker-node.ts';

const FAULTS = {
  pause(cluster, one) {
    const { random } = cluster.world;
    one.machine.pause();
    // What others change while the machine is away it must know when it is back, before it answers calls that waited.
    if (random.chance(0.5)) callOnce(cluster, random.pick(['shutDown', 'shutDown', 'deploy', 'deleteModel']));
    if (random.chance(0.5)) cluster.world.schedule(1000 + random.next() * 3000, () => callOnce(cluster, 'deploy'));
    // For less than a node's lease, for about as long, and for so long that others go on without it.
    const awayMs = random.pick([0, 4000, 8500]) + random.next() * 3500;
    cluster.world.schedule(awayMs, () => {
      one.machine.goOn();
      if (one instanceof ApiNode) callOnce(cluster, 'recommend', one);
    });
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
    if (one instanceof ApiNode) return;
    const ended = () => one.machine.kill();
    one.stop().then(ended, ended);
    later(cluster, 3000, () => startWorker(cluster));
  },
} satisfies Record<string, (cluster: Cluster, one: ApiNode | WorkerNode) => void>;

const BAG: (keyof typeof FAULTS)[] = ['pause', 'pause', 'kill', 'cut', 'clock', 'stop'];

export function strike(cluster: Cluster): void {
  const { world, nodes, workers } = cluster;
  const up = [...nodes, ...workers].filter(({ machine }) => machine.isUp);
  if (up.length === 0) return;
  const one = world.random.pick(up);
  const fault = world.random.pick(BAG);
  world.note(`${fault} ${one.machine.name}`);
  FAULTS[fault](cluster, one);
}

/** No more faults: every machine goes on, and there is a node and a worker. */
export function heal(cluster: Cluster): void {
  const { faults, nodes, workers, shared, world } = cluster;
  faults.lostShare = 0;
  faults.slowShare = 0;
  shared.rows('UPDATE project SET automation = NULL');
  for (const { machine } of [...nodes, ...workers]) {
    machine.isCutOff = false;
    if (machine.isPaused) machine.goOn();
  }
  world.note('quiet');
  startWorker(cluster);
  startNode(cluster);
}

export function startNode(cluster: Cluster): void {
  const node = new ApiNode(new Machine(cluster.world, `node${cluster.nodes.length}`), cluster.shared, cluster.faults);
  cluster.nodes.push(node);
  cluster.world.note(`start ${node.machine.name}`);
  // A start that fails ends the process, and it is started again.
  node.start().catch(() => {
    node.machine.kill();
    startNode(cluster);
  });
}

export function startWorker(cluster: Cluster): void {
  const { world, shared, workers, faults } = cluster;
  const worker = new WorkerNode(new Machine(world, `worker${workers.length}`), shared, faults);
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
