// A process of the simulation: an API node or a worker. It can be paused (nothing reaches it until it goes on, then everything
// at once), suspended (the same, and its monotonic clock and its timers do not move meanwhile, as on Linux), killed (nothing reaches
// it any more; what it has sent still arrives) and cut off from the store. Its wall clock is wrong by up to an hour and jumps; its
// monotonic clock is not.
import type { Runtime } from '../../src/base/runtime.ts';
import type { World } from './world.ts';

export const WALL_START_MS = 1_800_000_000_000;
const CLOCK_ERROR_MS = 3_600_000;
const ROUNDING_MS = 1e-6;

export const randomBytesOf =
  ({ random }: World) =>
  (count: number): Uint8Array =>
    Uint8Array.from({ length: count }, () => random.below(256));

export class Machine {
  readonly name: string;
  readonly world: World;
  isAlive = true;
  isCutOff = false;
  /** when this machine last lost a message or was cut off: its calls are excused around it */
  disturbedMs = Number.NEGATIVE_INFINITY;
  readonly runtime: Runtime;
  #wallOffsetMs: number;
  #late: (() => void)[] | null = null;
  #pausedMs = 0;
  #isSuspended = false;
  /** how far the monotonic clock is behind virtual time */
  #suspendedMs = 0;

  constructor(world: World, name: string) {
    this.world = world;
    this.name = name;
    this.#wallOffsetMs = this.#wrongBy();
    this.runtime = {
      nowMs: () => Math.floor(WALL_START_MS + world.wallMs + this.#wallOffsetMs),
      monotonicMs: () => world.nowMs - this.#suspendedMs,
      after: (delayMs, action) => this.#after(delayMs, action),
      every: (periodMs, action) => this.#every(periodMs, action),
      sleep: (delayMs, signal) => this.#sleep(delayMs, signal),
      randomBytes: randomBytesOf(world),
    };
  }

  get isPaused(): boolean {
    return this.#late !== null;
  }

  get isUp(): boolean {
    return this.isAlive && !this.isPaused;
  }

  kill(): void {
    this.isAlive = false;
    this.#late = null;
  }

  pause(): void {
    if (this.#late) return;
    this.#late = [];
    this.#pausedMs = this.world.nowMs;
  }

  suspend(): void {
    this.pause();
    this.#isSuspended = true;
  }

  /** How long it has been away. */
  get awayMs(): number {
    return this.#late ? this.world.nowMs - this.#pausedMs : 0;
  }

  /** What should have happened meanwhile happens now, in any order: the system makes no promise. */
  goOn(): void {
    const late = this.#late;
    if (this.#isSuspended) this.#suspendedMs += this.awayMs;
    this.#isSuspended = false;
    this.#late = null;
    for (const action of late ?? []) this.world.schedule(this.world.random.next() * 5, () => this.receive(action));
  }

  jumpClock(): void {
    this.#wallOffsetMs = this.#wrongBy();
  }

  /** Something reaches this machine: a message or a timer. */
  receive(action: () => void): void {
    if (!this.isAlive) return;
    if (this.#late) this.#late.push(action);
    else action();
  }

  #after(delayMs: number, action: () => void): { cancel(): void } {
    const { world, runtime } = this;
    let isCancelled = false;
    const waitMs = delayMs + world.random.next() * 2;
    const dueMs = runtime.monotonicMs() + waitMs;
    const ring = () => {
      if (isCancelled) return;
      const leftMs = dueMs - runtime.monotonicMs();
      if (leftMs > ROUNDING_MS) event = world.schedule(leftMs, receive);
      else action();
    };
    const receive = () => this.receive(ring);
    let event = world.schedule(waitMs, receive);
    return {
      cancel() {
        isCancelled = true;
        event.action = null;
      },
    };
  }

  #every(periodMs: number, action: () => void): { cancel(): void } {
    const next = () =>
      this.#after(periodMs, () => {
        timer = next();
        action();
      });
    let timer = next();
    return { cancel: () => timer.cancel() };
  }

  #sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const stop = () => {
        timer.cancel();
        reject(signal!.reason);
      };
      const timer = this.#after(delayMs, () => {
        signal?.removeEventListener('abort', stop);
        resolve();
      });
      signal?.addEventListener('abort', stop, { once: true });
    });
  }

  #wrongBy(): number {
    const { random } = this.world;
    return random.chance(0.5) ? 0 : (random.next() * 2 - 1) * CLOCK_ERROR_MS;
  }
}
