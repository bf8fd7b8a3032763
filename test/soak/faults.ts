// A random schedule of faults, drawn from a seed: the same seed gives the same faults in the same order with the same pauses.
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Line, Toxic } from '../network/toxiproxy.ts';
import { crashPostgres, needOwnPostgres, postgresPid, restartPostgres } from '../support/postgres.ts';
import { canTroubleDisks, familyOf, slowedDown, withoutSpace } from './disk.ts';
import type { Ledger } from './ledger.ts';
import type { Nodes } from './nodes.ts';

needOwnPostgres();

/** Longer than the lease of the cluster's jobs (3 s), so that a paused worker wakes up having lost its job. */
const BEYOND_LEASE_MS = 5000;
const MAX_SKEW_MS = 60_000;

interface Fault {
  name: string;
  weight: number;
  strike(nodes: Nodes, pick: (bound: number) => number, databaseUrl: string): Promise<void>;
}

const FAULTS: readonly Fault[] = [
  { name: 'kill -9 of an API node', weight: 3, strike: ({ apis }, pick) => apis[pick(2)].killAndReplace(pick(1500)) },
  {
    name: 'kill -9 of a worker',
    weight: 3,
    strike: ({ workers }, pick) => workers[pick(2)].killAndReplace(pick(1500)),
  },
  {
    name: 'pause of a worker beyond its lease',
    weight: 2,
    strike: ({ workers }, pick) => workers[pick(2)].pause(BEYOND_LEASE_MS),
  },
  { name: 'pause of an API node', weight: 2, strike: ({ apis }, pick) => apis[pick(2)].pause(500 + pick(3000)) },
  {
    name: 'all database connections cut',
    weight: 2,
    strike: ({ shared }, _pick, databaseUrl) => shared.during(() => cutConnections(databaseUrl)),
  },
  {
    name: 'crash of PostgreSQL',
    weight: 1,
    strike: ({ shared }, pick) =>
      shared.during(async () => {
        await crashPostgres();
        await delay(pick(2000));
        await restartPostgres();
      }),
  },
  {
    name: 'restart of an API node with a wrong clock',
    weight: 1,
    strike: ({ apis }, pick) => apis[pick(2)].killAndReplace(0, { clockSkewMs: skew(pick) }),
  },
  {
    name: 'restart of a worker with a wrong clock',
    weight: 1,
    strike: ({ workers }, pick) => workers[pick(2)].killAndReplace(0, { clockSkewMs: skew(pick) }),
  },
  ...(canTroubleDisks ? diskFaults() : []),
];

function diskFaults(): Fault[] {
  return [
    {
      name: 'full disk of a worker',
      weight: 2,
      strike: ({ workers }, pick) => workers[pick(2)].fillDisk(1000 + pick(4000)),
    },
    {
      name: 'full disk of PostgreSQL',
      weight: 1,
      strike: ({ shared }, pick) =>
        shared.during(async () => {
          const server = await postgresPid();
          await withoutSpace(() => familyOf(server), 500 + pick(2500));
          // It may have ended, or be about to: an operator would start it again.
          await crashPostgres();
          await restartPostgres();
        }),
    },
    {
      // Slow is no excuse: no call may fail.
      name: 'slow disk of PostgreSQL',
      weight: 2,
      async strike(_nodes, pick) {
        const server = await postgresPid();
        await slowedDown(() => familyOf(server), 2000 + pick(4000));
      },
    },
  ];
}

const SLOW_LINE: readonly Toxic[] = [
  { type: 'latency', attributes: { latency: 80, jitter: 40 } },
  { type: 'slicer', attributes: { average_size: 512, size_variation: 256, delay: 50 } },
];

/** Needs lines that can be poisoned. */
const NETWORK_FAULTS: readonly Fault[] = [
  {
    // Slow is no excuse here either.
    name: 'slow line of an API node to the database',
    weight: 2,
    strike: ({ apis }, pick) => slow(apis[pick(2)].lines!.database, 1000 + pick(4000)),
  },
  {
    name: 'slow line of a worker to the artifacts',
    weight: 1,
    strike: ({ workers }, pick) => slow(workers[pick(2)].lines!.artifacts, 1000 + pick(4000)),
  },
  ...(['cut', 'silent'] as const).flatMap((how): Fault[] => [
    {
      name: `${how} line of an API node to the database`,
      weight: 2,
      strike: ({ apis }, pick) => apis[pick(2)].loseLine('database', how, 500 + pick(10_000)),
    },
    {
      name: `${how} line of a worker to the database`,
      weight: 1,
      strike: ({ workers }, pick) => workers[pick(2)].loseLine('database', how, 500 + pick(8000)),
    },
    {
      name: `${how} line of an API node to the artifacts`,
      weight: 1,
      strike: ({ apis }, pick) => apis[pick(2)].loseLine('artifacts', how, 500 + pick(4000)),
    },
    {
      name: `${how} line of a worker to the artifacts`,
      weight: 1,
      strike: ({ workers }, pick) => workers[pick(2)].loseLine('artifacts', how, 500 + pick(8000)),
    },
  ]),
];

function slow(line: Line, forMs: number): Promise<void> {
  return line.during(SLOW_LINE, () => delay(forMs));
}

function skew(pick: (bound: number) => number): number {
  return (1000 + pick(MAX_SKEW_MS)) * (pick(2) === 0 ? 1 : -1);
}

export interface Strike {
  waitMs: number;
  fault: Fault;
}

/** Strikes one fault after the other until the time is over. */
export async function strikeUntil(
  endMs: number,
  nodes: Nodes,
  {
    pick,
    ledger,
    databaseUrl,
    say,
  }: { pick: (bound: number) => number; ledger: Ledger; databaseUrl: string; say: (line: string) => void },
): Promise<void> {
  const faults = nodes.apis[0].lines === null ? FAULTS : [...FAULTS, ...NETWORK_FAULTS];
  const lots = faults.flatMap((fault) => Array.from({ length: fault.weight }, () => fault));
  while (performance.now() < endMs) {
    await delay(1000 + pick(4000));
    if (performance.now() >= endMs) return;
    const fault = lots[pick(lots.length)];
    say(fault.name);
    ledger.counts.faults++;
    ledger.faultKinds.add(fault.name);
    await fault.strike(nodes, pick, databaseUrl);
  }
}

async function cutConnections(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on('error', () => {});
  await client.connect();
  await client.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );
  await client.end();
}
