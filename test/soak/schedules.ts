// One schedule of faults for each kind of victim, all at the same time, drawn from a seed: the same seed gives each of them the same
// faults in the same order with the same pauses.
import { setTimeout as delay } from 'node:timers/promises';
import { seededRandom } from '../../src/base/seeded-random.ts';
import { faultsOf, VICTIMS, type Victims } from './faults.ts';
import type { Ledger } from './ledger.ts';
import type { Nodes } from './nodes.ts';

/** Between two faults. A fault of PostgreSQL excuses the calls of all nodes, so these leave time in which nothing is excused. */
const PAUSES: Record<Victims, { leastMs: number; upToMs: number }> = {
  'API nodes': { leastMs: 1000, upToMs: 4000 },
  workers: { leastMs: 1000, upToMs: 4000 },
  PostgreSQL: { leastMs: 6000, upToMs: 12_000 },
};

export interface StrikeParts {
  seed: number;
  ledger: Ledger;
  databaseUrl: string;
  say: (line: string) => void;
}

/** Strikes until the time is over, which may move meanwhile. */
export async function strikeUntil(endMs: () => number, nodes: Nodes, parts: StrikeParts): Promise<void> {
  const underWay = new Set<Victims>();
  await Promise.all(
    VICTIMS.map((victims) =>
      strikeOne(victims, endMs, nodes, { ...parts, underWay }).catch((error) =>
        parts.ledger.complain(`the faults of ${victims} ended early: ${error}`),
      ),
    ),
  );
}

async function strikeOne(
  victims: Victims,
  endMs: () => number,
  nodes: Nodes,
  { seed, ledger, databaseUrl, say, underWay }: StrikeParts & { underWay: Set<Victims> },
): Promise<void> {
  const pick = seededRandom(seed * VICTIMS.length + VICTIMS.indexOf(victims)).below;
  const lots = faultsOf(victims, nodes.apis[0].lines !== null).flatMap((fault) => Array(fault.weight).fill(fault));
  const { leastMs, upToMs } = PAUSES[victims];
  for (;;) {
    await delay(Math.min(leastMs + pick(upToMs), Math.max(0, endMs() - performance.now())));
    if (performance.now() >= endMs()) return;
    const fault = lots[pick(lots.length)];
    say(underWay.size > 0 ? `${fault.name}, during another fault` : fault.name);
    ledger.counts.faults++;
    if (underWay.size > 0) ledger.counts.overlappingFaults++;
    ledger.faultKinds.add(fault.name);
    underWay.add(victims);
    try {
      await fault.strike(nodes, pick, databaseUrl);
    } finally {
      underWay.delete(victims);
    }
  }
}
