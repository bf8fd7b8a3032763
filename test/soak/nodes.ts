// The processes of the cluster under fire: each place (API node, worker) is held by one process after another. A place knows
// when it was disturbed, so that a call that failed meanwhile is excused, and one that failed otherwise is not.
import { setTimeout as delay } from 'node:timers/promises';
import type { Lines, PoisonedNetwork } from '../network/poisoned-network.ts';
import type { Line } from '../network/toxiproxy.ts';
import type { Cluster, ClusterProcess, StartOptions } from '../support/cluster.ts';
import type { ApiCaller } from '../support/service.ts';
import { withoutSpace } from './disk.ts';

/** How long calls may still fail after a fault has ended: connections are opened again, the node loads what it serves. */
const AFTERMATH_MS = 3000;

/** What was disturbed: the process itself, or what it reaches over its lines. */
export type Cause = 'process' | 'database' | 'artifacts';

export class Disturbances {
  readonly #spans: { cause: Cause; fromMs: number; toMs: number }[] = [];

  /** Runs the fault; it explains failures of calls that overlap it or its aftermath. */
  async during(cause: Cause, fault: () => Promise<void>): Promise<void> {
    const span = { cause, fromMs: performance.now(), toMs: Number.POSITIVE_INFINITY };
    this.#spans.push(span);
    try {
      await fault();
    } finally {
      span.toMs = performance.now() + AFTERMATH_MS;
    }
  }

  /** What explains a failure between the two times; null: nothing does. */
  causeOf(fromMs: number, toMs: number, explains: (cause: Cause) => boolean = () => true): Cause | null {
    const span = this.#spans.findLast(
      ({ cause, ...span }) => fromMs <= span.toMs && toMs >= span.fromMs && explains(cause),
    );
    return span?.cause ?? null;
  }
}

type Starter<T> = (options?: StartOptions) => Promise<T>;

class Place<T extends ClusterProcess = ClusterProcess> {
  readonly name: string;
  readonly disturbances = new Disturbances();
  /** to the database and the artifacts, if they can be poisoned */
  readonly lines: Lines | null;
  readonly #start: Starter<T>;
  #current: T;

  private constructor(name: string, lines: Lines | null, start: Starter<T>, current: T) {
    this.name = name;
    this.lines = lines;
    this.#start = start;
    this.#current = current;
  }

  static async open<T extends ClusterProcess>(
    name: string,
    network: PoisonedNetwork | null,
    start: Starter<T>,
  ): Promise<Place<T>> {
    const lines = (await network?.lines(name.replace(' ', '-'))) ?? null;
    const onLines: Starter<T> = (options) => start({ ...options, env: { ...lines?.env, ...options?.env } });
    return new Place(name, lines, onLines, await onLines());
  }

  get current(): T {
    return this.#current;
  }

  /** kill -9, and after a while another process takes the place. */
  killAndReplace(pauseMs: number, options: StartOptions = {}): Promise<void> {
    return this.disturbances.during('process', async () => {
      await this.#current.kill();
      await delay(pauseMs);
      this.#current = await this.#restarted(options);
    });
  }

  /** SIGSTOP for a while, as a machine that swaps or a paused virtual machine would be. */
  pause(pauseMs: number): Promise<void> {
    return this.disturbances.during('process', async () => {
      this.#current.child.kill('SIGSTOP');
      await delay(pauseMs);
      this.#current.child.kill('SIGCONT');
    });
  }

  /** No file of the process may grow beyond a few kilobytes: the process gets the errors of a full disk. */
  fillDisk(pauseMs: number): Promise<void> {
    return this.disturbances.during('process', () => withoutSpace(() => [this.#current.child.pid!], pauseMs));
  }

  /** The line is cut for a while, or silent: packets go nowhere, and nobody is told. */
  loseLine(which: 'database' | 'artifacts', how: 'cut' | 'silent', pauseMs: number): Promise<void> {
    const line = this.lines![which];
    return this.disturbances.during(which, () =>
      how === 'silent' ? line.halfOpen(() => delay(pauseMs)) : cut(line, pauseMs),
    );
  }

  /** The store may be away just now: a process that could not start is started again. */
  async #restarted(options: StartOptions): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#start(options);
      } catch (error) {
        if (attempt === 20) throw error;
        await delay(500);
      }
    }
  }
}

async function cut(line: Line, pauseMs: number): Promise<void> {
  await line.cut();
  try {
    await delay(pauseMs);
  } finally {
    await line.restore();
  }
}

export type ApiPlace = Place<ClusterProcess & { caller: ApiCaller }>;

export interface Nodes {
  apis: ApiPlace[];
  workers: Place[];
  /** disturbances of what all of them share: the database */
  shared: Disturbances;
}

/** Whether the node could reach the database all the time: if not, it serves on with what it knows. */
export function hadDatabase({ shared }: Nodes, { disturbances }: Place, fromMs: number, toMs: number): boolean {
  const isOfDatabase = (cause: Cause): boolean => cause === 'database';
  return [shared, disturbances].every((some) => some.causeOf(fromMs, toMs, isOfDatabase) === null);
}

export async function openNodes(cluster: Cluster, network: PoisonedNetwork | null): Promise<Nodes> {
  // The first node makes the account, the others find it.
  const first = await Place.open('api 1', network, (options) => cluster.api(options));
  const [second, ...workers] = await Promise.all([
    Place.open('api 2', network, (options) => cluster.api(options)),
    Place.open('worker 1', network, (options) => cluster.worker(options)),
    Place.open('worker 2', network, (options) => cluster.worker(options)),
  ]);
  return { apis: [first, second], workers, shared: new Disturbances() };
}
