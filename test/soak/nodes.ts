// The processes of the cluster under fire: each place (API node, worker) is held by one process after another. A place knows
// when it was disturbed, so that a call that failed meanwhile is excused, and one that failed otherwise is not.
import { setTimeout as delay } from 'node:timers/promises';
import type { Cluster, ClusterProcess, StartOptions } from '../support/cluster.ts';
import type { ApiCaller } from '../support/service.ts';
import { withoutSpace } from './disk.ts';

/** How long calls may still fail after a fault has ended: connections are opened again, the node loads what it serves. */
const AFTERMATH_MS = 3000;

export class Disturbances {
  readonly #spans: { fromMs: number; toMs: number }[] = [];

  /** Runs the fault; calls that overlap it or its aftermath are excused. */
  async during(fault: () => Promise<void>): Promise<void> {
    const span = { fromMs: performance.now(), toMs: Number.POSITIVE_INFINITY };
    this.#spans.push(span);
    try {
      await fault();
    } finally {
      span.toMs = performance.now() + AFTERMATH_MS;
    }
  }

  excuses(fromMs: number, toMs: number): boolean {
    return this.#spans.some((span) => fromMs <= span.toMs && toMs >= span.fromMs);
  }
}

type Starter<T> = (options?: StartOptions) => Promise<T>;

export class Place<T extends ClusterProcess = ClusterProcess> {
  readonly name: string;
  readonly disturbances = new Disturbances();
  readonly #start: Starter<T>;
  #current: T;

  private constructor(name: string, start: Starter<T>, current: T) {
    this.name = name;
    this.#start = start;
    this.#current = current;
  }

  static async open<T extends ClusterProcess>(name: string, start: Starter<T>): Promise<Place<T>> {
    return new Place(name, start, await start());
  }

  get current(): T {
    return this.#current;
  }

  /** kill -9, and after a while another process takes the place. */
  killAndReplace(pauseMs: number, options: StartOptions = {}): Promise<void> {
    return this.disturbances.during(async () => {
      await this.#current.kill();
      await delay(pauseMs);
      this.#current = await this.#restarted(options);
    });
  }

  /** SIGSTOP for a while, as a machine that swaps or a paused virtual machine would be. */
  pause(pauseMs: number): Promise<void> {
    return this.disturbances.during(async () => {
      this.#current.child.kill('SIGSTOP');
      await delay(pauseMs);
      this.#current.child.kill('SIGCONT');
    });
  }

  /** No file of the process may grow beyond a few kilobytes: the process gets the errors of a full disk. */
  fillDisk(pauseMs: number): Promise<void> {
    return this.disturbances.during(() => withoutSpace(() => [this.#current.child.pid!], pauseMs));
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

export type ApiPlace = Place<ClusterProcess & { caller: ApiCaller }>;

export interface Nodes {
  apis: ApiPlace[];
  workers: Place[];
  /** disturbances of what all of them share: the database */
  shared: Disturbances;
}

export async function openNodes(cluster: Cluster): Promise<Nodes> {
  // The first node makes the account, the others find it.
  const first = await Place.open('api 1', (options) => cluster.api(options));
  const [second, ...workers] = await Promise.all([
    Place.open('api 2', (options) => cluster.api(options)),
    Place.open('worker 1', (options) => cluster.worker(options)),
    Place.open('worker 2', (options) => cluster.worker(options)),
  ]);
  return { apis: [first, second], workers, shared: new Disturbances() };
}
