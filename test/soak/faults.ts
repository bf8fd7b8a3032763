// The faults, by what they strike. Faults of one kind of victim come one after the other, those of different victims at the same time
// (schedules.ts): of two API nodes one is always left, and so is one of two workers.
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Line, Toxic } from '../network/toxiproxy.ts';
import { crashPostgres, needOwnPostgres, postgresPid, restartPostgres } from '../support/postgres.ts';
import { canTroubleDisks, familyOf, slowedDown, withoutSpace } from './disk.ts';
import type { Nodes } from './nodes.ts';

needOwnPostgres();

/** Longer than the lease of the cluster's jobs (3 s), so that a paused worker wakes up having lost its job. */
const BEYOND_LEASE_MS = 5000;
const MAX_SKEW_MS = 60_000;

type Pick = (bound: number) => number;

export interface Fault {
  name: string;
  weight: number;
  strike(nodes: Nodes, pick: Pick, databaseUrl: string): Promise<void>;
}

export const VICTIMS = ['API nodes', 'workers', 'PostgreSQL'] as const;
export type Victims = (typeof VICTIMS)[number];

/** `hasLines`: the processes reach the database and the artifacts over lines that can be poisoned. */
export function faultsOf(victims: Victims, hasLines: boolean): Fault[] {
  const faults = { 'API nodes': API_FAULTS, workers: WORKER_FAULTS, PostgreSQL: POSTGRES_FAULTS }[victims];
  const ofLines = { 'API nodes': API_LINE_FAULTS, workers: WORKER_LINE_FAULTS, PostgreSQL: [] }[victims];
  return hasLines ? [...faults, ...ofLines] : [...faults];
}

const API_FAULTS: readonly Fault[] = [
  { name: 'kill -9 of an API node', weight: 3, strike: ({ apis }, pick) => apis[pick(2)].killAndReplace(pick(1500)) },
  { name: 'pause of an API node', weight: 2, strike: ({ apis }, pick) => apis[pick(2)].pause(500 + pick(3000)) },
  {
    name: 'restart of an API node with a wrong clock',
    weight: 1,
    strike: ({ apis }, pick) => apis[pick(2)].killAndReplace(0, { clockSkewMs: skew(pick) }),
  },
];

const WORKER_FAULTS: readonly Fault[] = [
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
  {
    name: 'restart of a worker with a wrong clock',
    weight: 1,
    strike: ({ workers }, pick) => workers[pick(2)].killAndReplace(0, { clockSkewMs: skew(pick) }),
  },
  ...onDisks({
    name: 'full disk of a worker',
    weight: 2,
    strike: ({ workers }, pick) => workers[pick(2)].fillDisk(1000 + pick(4000)),
  }),
];

const POSTGRES_FAULTS: readonly Fault[] = [
  {
    name: 'all database connections cut',
    weight: 2,
    strike: ({ shared }, _pick, databaseUrl) => shared.during('database', () => cutConnections(databaseUrl)),
  },
  {
    name: 'crash of PostgreSQL',
    weight: 1,
    strike: ({ shared }, pick) =>
      shared.during('database', async () => {
        await crashPostgres();
        await delay(pick(2000));
        await restartPostgres();
      }),
  },
  ...onDisks(
    {
      name: 'full disk of PostgreSQL',
      weight: 1,
      strike: ({ shared }, pick) =>
        shared.during('database', async () => {
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
  ),
];

function onDisks(...faults: Fault[]): Fault[] {
  return canTroubleDisks ? faults : [];
}

const SLOW_LINE: readonly Toxic[] = [
  { type: 'latency', attributes: { latency: 80, jitter: 40 } },
  { type: 'slicer', attributes: { average_size: 512, size_variation: 256, delay: 50 } },
];

const API_LINE_FAULTS: readonly Fault[] = [
  {
    // Slow is no excuse here either.
    name: 'slow line of an API node to the database',
    weight: 2,
    strike: ({ apis }, pick) => slow(apis[pick(2)].lines!.database, 1000 + pick(4000)),
  },
  ...(['cut', 'silent'] as const).flatMap((how): Fault[] => [
    {
      name: `${how} line of an API node to the database`,
      weight: 2,
      strike: ({ apis }, pick) => apis[pick(2)].loseLine('database', how, 500 + pick(10_000)),
    },
    {
      name: `${how} line of an API node to the artifacts`,
      weight: 1,
      strike: ({ apis }, pick) => apis[pick(2)].loseLine('artifacts', how, 500 + pick(4000)),
    },
  ]),
];

const WORKER_LINE_FAULTS: readonly Fault[] = [
  {
    name: 'slow line of a worker to the artifacts',
    weight: 1,
    strike: ({ workers }, pick) => slow(workers[pick(2)].lines!.artifacts, 1000 + pick(4000)),
  },
  ...(['cut', 'silent'] as const).flatMap((how) =>
    (['database', 'artifacts'] as const).map(
      (line): Fault => ({
        name: `${how} line of a worker to the ${line}`,
        weight: 1,
        strike: ({ workers }, pick) => workers[pick(2)].loseLine(line, how, 500 + pick(8000)),
      }),
    ),
  ),
];

function slow(line: Line, forMs: number): Promise<void> {
  return line.during(SLOW_LINE, () => delay(forMs));
}

function skew(pick: Pick): number {
  return (1000 + pick(MAX_SKEW_MS)) * (pick(2) === 0 ? 1 : -1);
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
