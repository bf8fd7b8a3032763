// One run of the simulation: nodes and workers start, clients call, faults strike for some seconds of virtual time; then everything
// heals and every job must end. All of it follows from the seed.
import { performance } from 'node:perf_hooks';
import type { ApiNode } from './api-node.ts';
import { callOnce } from './callers.ts';
import { heal, startNode, startWorker, strike } from './faults.ts';
import type { NetworkFaults } from './network.ts';
import { prepare } from './prepare.ts';
import { SharedStore } from './shared-store.ts';
import { Witness } from './witness.ts';
import type { WorkerNode } from './worker-node.ts';
import { World } from './world.ts';

const SHORTEST_CHAOS_MS = 3000;
const LONGEST_CHAOS_MS = 16_000;
const QUIET_MS = 20 * 60_000;
const CALL_EVERY_MS = 150;
const FAULT_EVERY_MS = 1500;

export interface Run {
  readonly seed: number;
  readonly broken: readonly string[];
  readonly steps: number;
  readonly faults: number;
  readonly fingerprint: string;
  readonly counts: Witness['counts'] & { jobs: number };
}

export interface Cluster {
  readonly world: World;
  readonly shared: SharedStore;
  readonly witness: Witness;
  readonly nodes: ApiNode[];
  readonly workers: WorkerNode[];
  readonly faults: NetworkFaults;
}

export async function simulate(seed: number, trace: ((line: string) => void) | null = null): Promise<Run> {
  const world = new World(seed, trace);
  const systemNow = performance.now;
  // Work in steps must not be split by how fast this machine is.
  performance.now = () => world.nowMs;
  try {
    return await run(seed, world);
  } finally {
    performance.now = systemNow;
  }
}

async function run(seed: number, world: World): Promise<Run> {
  const { random } = world;
  const faults: NetworkFaults = {
    lostShare: random.pick([0, 0.01, 0.05]),
    slowShare: random.pick([0, 0.02, 0.2]),
  };
  const shared = new SharedStore(() => world.nowMs);
  await prepare(shared, random.chance(0.4));
  const witness = new Witness(world, shared);
  const cluster: Cluster = { world, shared, witness, nodes: [], workers: [], faults };
  const chaosMs = SHORTEST_CHAOS_MS + random.next() ** 2 * (LONGEST_CHAOS_MS - SHORTEST_CHAOS_MS);
  const numNodes = 1 + random.below(3);
  const numWorkers = 1 + random.below(2);
  for (let n = 0; n < numNodes; n++) startNode(cluster);
  for (let n = 0; n < numWorkers; n++) startWorker(cluster);

  let struck = 0;
  const isChaos = () => world.nowMs < chaosMs;
  const again = (everyMs: number, action: () => void) =>
    void world.schedule(random.next() * 2 * everyMs, () => {
      if (!isChaos()) return;
      action();
      again(everyMs, action);
    });
  again(CALL_EVERY_MS, () => callOnce(cluster));
  again(FAULT_EVERY_MS, () => {
    struck++;
    strike(cluster);
  });
  const isBroken = () => witness.broken.length > 0;
  await world.runUntil(chaosMs, isBroken, () => witness.afterStep());

  heal(cluster);
  const isDone = () =>
    isBroken() || (world.nowMs > chaosMs + 2000 && [...witness.jobs.values()].every(({ end }) => end !== null));
  await world.runUntil(chaosMs + QUIET_MS, isDone, () => witness.afterStep());
  if (!isBroken()) witness.atEnd();
  const counts = { ...witness.counts, jobs: witness.jobs.size };
  return { seed, broken: witness.broken, steps: world.steps, faults: struck, fingerprint: world.fingerprint, counts };
}
