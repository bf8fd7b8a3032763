// A process of the simulation: an API node or a worker. It can be paused (nothing reaches it until it continues, then everything
// at once), killed (nothing reaches it any more; what it has sent still arrives) and cut off from the store. Its wall clock is
// wrong by up to an hour and jumps; its monotonic clock is not.
import type { Runtime } from '../../src/domain/runtime.ts';
import type { World } from './world.ts';

const WALL_START_MS = 1_800_000_000_000;
const CLOCK_ERROR_MS = 3_600_000;

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

  constructor(world: World, name: string) {
    this.world = world;
    this.name = name;
    this.#wallOffsetMs = this.#wrongBy();
    this.runtime = {
      nowMs: () => Math.floor(WALL_START_MS + world.wallMs + this.#wallOffsetMs),
      monotonicMs: () => world.nowMs,
      after: (delayMs, action) => this.#after(delayMs, action),
      sleep: (delayMs, signal) => this.#sleep(delayMs, signal),
      randomBytes: (count) => {
        const bytes = new Uint8Array(count);
        for (let n = 0; n < count; n++) bytes[n] = world.random.below(256);
        return bytes;
      },
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

  /** How long it has been away. */
  get awayMs(): number {
    return this.#late ? this.world.nowMs - this.#pausedMs : 0;
  }

  /** What should have happened meanwhile happens now, in any order: the system makes no promise. */
  goOn(): void {
    const late = this.#late;
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
    let isCancelled = false;
    const jitterMs = this.world.random.next() * 2;
    const event = this.world.schedule(delayMs + jitterMs, () =>
      this.receive(() => {
        if (!isCancelled) action();
      }),
    );
    return {
      cancel() {
        isCancelled = true;
        event.action = null;
      },
    };
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
