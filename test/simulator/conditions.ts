// What a seed is about. Where everything may happen, two rare things hardly ever meet, so each seed picks few kinds of calls and
// faults, how often they come, and which places of the code are unlucky.
import type { Random } from '../../src/base/seeded-random.ts';
import { type CallName, OTHER_CALLS, SERVING_CALLS, USER_CALLS } from './callers.ts';
import { EXPERIMENT_CALLS } from './experiment-calls.ts';
import { FAULTS, type FaultName } from './faults.ts';
import type { NetworkFaults } from './network.ts';
import { SWEEP_GRACE_MS } from './simulated-sweep.ts';

export interface Conditions {
  /** how long calls and faults come */
  readonly chaosMs: number;
  readonly callEveryMs: number;
  /** number of calls that reach one node within some milliseconds */
  readonly callsAtOnce: number;
  readonly faultEveryMs: number;
  /** each as often as it is likely */
  readonly calls: readonly CallName[];
  /** none: nothing strikes */
  readonly faults: readonly FaultName[];
  readonly network: NetworkFaults;
  readonly nodes: number;
  readonly workers: number;
  readonly users: readonly string[];
  /** the machines that faults strike */
  readonly struck: 'nodes' | 'workers' | 'all';
  /** of most pauses, about */
  readonly pauseMs: number;
  /** of the pauses: the machine is suspended, with its monotonic clock */
  readonly suspendedShare: number;
  /** what a client calls while a rare call of a machine is under way */
  readonly disturbance: CallName;
  /** of the pauses: others change something meanwhile that the machine must know when it is back */
  readonly busyPauses: number;
  /** of the jobs' work */
  readonly longestWorkMs: number;
  /** of the attempts that end in an unexpected error */
  readonly failedShare: number;
  readonly longestLoadMs: number;
  readonly modelBudgetBytes: number;
  /** changes of users that the store remembers */
  readonly keptChanges: number;
  /** null: nothing is automated */
  readonly automationPollMs: number | null;
  /** how long a file without a model is left alone while there are faults; null: nothing is swept */
  readonly sweepGraceMs: number | null;
  /** of the requests to the receiver of deliveries, when it is down; null: nobody wants any */
  readonly receiverDownShare: number | null;
  /** whether a model is trained and deployed after the faults */
  readonly isServiceChecked: boolean;
}

const LONG_SHARE = 0.2;
const USERS = ['ann', 'bob', 'cleo'];
const DISTURBANCES: readonly CallName[] = [
  ...(['shutDown', 'shutDown', 'deploy', 'deleteModel', 'cancel', 'buy', 'deleteItem'] as const),
];

export function pickConditions(random: Random): Conditions {
  // Most bugs show in short runs, of which there are more in the same time. Some need long ones.
  const isLong = random.chance(LONG_SHARE);
  // Around the lease of a job, the lease of a node, and the time after which a node is forgotten.
  const pauseMs = random.pick(isLong ? [4700, 5600, 9000, 17_000] : [4700, 5600, 9000]);
  const faults = bagOf<FaultName>(random, FAULTS, []);
  // A fourth is about lists and what they follow from alone: without jobs, many more calls take the same time.
  const isServing = random.chance(0.25);
  const calls = isServing ? random.pick([SERVING_CALLS, USER_CALLS]) : { ...SERVING_CALLS, ...OTHER_CALLS };
  const always: readonly CallName[] = isServing ? ['recommend', 'buy', 'takeBack'] : ['recommend'];
  // One call about experiments alone shows nothing.
  const experiments = !isServing && random.chance(0.3) ? (Object.keys(EXPERIMENT_CALLS) as CallName[]) : [];
  const called = bagOf<CallName>(random, calls, [...always, ...experiments]);
  const shortestMs = faults.includes('pause') && !isServing ? 1.5 * pauseMs : 500;
  const chaosMs = shortestMs + random.pick(isLong ? [1000, 3000, 6000] : [500, 1000, 3000]) * random.next();
  const struck = random.pick(['nodes', 'workers', 'all'] as const);
  const network = {
    lostShare: random.pick([0, 0, 0, 0.01, 0.05]),
    slowShare: random.pick([0, 0, 0.02, 0.2]),
    // Lists are made in some milliseconds: where all of their calls take longer than a run, none is made.
    slowestMs: random.pick(isServing ? [30, 150, 1500] : [1500]),
    unluckyShare: random.pick([0, 0.1, 0.3]),
    disturbedShare: random.pick([0, 0.1, 0.5]),
  };
  const losesNothing = network.lostShare === 0 && !faults.includes('cut');
  return {
    chaosMs,
    pauseMs,
    struck,
    network,
    faults,
    calls: called,
    callEveryMs: chaosMs / random.pick(isServing ? [60, 150] : [10, 30, 60]),
    callsAtOnce: random.pick([1, 1, 3, 8]),
    faultEveryMs: chaosMs / random.pick([2, 4, 8]),
    nodes: (struck === 'nodes' ? 2 : 1) + Number(random.chance(isLong ? 0.5 : 0.2)),
    workers: (struck === 'workers' ? 2 : 1) + Number(random.chance(isLong ? 0.5 : 0.2)),
    disturbance: random.pick(isServing ? called : experiments.length > 0 ? experiments : DISTURBANCES),
    users: USERS.slice(0, 1 + random.below(3)),
    busyPauses: random.pick([0, 0.5, 1]),
    suspendedShare: random.pick([0, 0, 0.5, 1]),
    longestWorkMs: random.pick([100, 1000, 6000]),
    failedShare: random.pick([0, 0, 0.1, 0.6]),
    longestLoadMs: random.pick([10, 300, 2000]),
    modelBudgetBytes: random.pick([1, 2 ** 30]),
    keptChanges: random.pick([2, 12]),
    automationPollMs: random.pick([null, null, 400, 1500]),
    sweepGraceMs: random.chance(0.3) ? (losesNothing ? SWEEP_GRACE_MS : Number.POSITIVE_INFINITY) : null,
    receiverDownShare: random.pick([null, null, null, null, 0, 0.5]),
    isServiceChecked: random.chance(isLong ? 0.3 : 0.1),
  };
}

/** About half of the kinds, some of them far more often than others. */
function bagOf<T extends string>(
  random: Random,
  weights: Readonly<Partial<Record<T, number>>>,
  always: readonly T[],
): T[] {
  return (Object.keys(weights) as T[]).flatMap((name) => {
    const isIn = random.chance(0.5) || always.includes(name);
    return Array<T>(isIn ? weights[name]! * random.pick([1, 1, 5]) : 0).fill(name);
  });
}
