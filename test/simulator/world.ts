// Virtual time. Everything that happens is an event with a moment; a run takes the earliest one, lets it act until nothing more
// follows from it at that moment, and takes the next. Events at different machines are ordered by delays drawn from the seed, so
// a seed decides the whole run, and the same seed gives the same run.
import { createHash } from 'node:crypto';
import { type Random, seededRandom } from '../../src/domain/seeded-random.ts';

interface WorldEvent {
  readonly atMs: number;
  readonly order: number;
  action: (() => void) | null;
}

/** After all microtasks: what follows from an event has then happened, because nothing in a simulation waits for the system. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export class World {
  readonly random: Random;
  readonly #events: WorldEvent[] = [];
  readonly #trace: ((line: string) => void) | null;
  readonly #hash = createHash('sha256');
  #nowMs = 0;
  #order = 0;
  #steps = 0;

  /** `trace` gets a line for everything that happens. */
  constructor(seed: number, trace: ((line: string) => void) | null = null) {
    this.random = seededRandom(seed);
    this.#trace = trace;
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  get steps(): number {
    return this.#steps;
  }

  /** Differs if anything that was noted differs. */
  get fingerprint(): string {
    return this.#hash.copy().digest('hex').slice(0, 16);
  }

  /** Notes what happens, for the fingerprint and the trace. */
  note(what: string): void {
    const line = `${this.#nowMs.toFixed(3)} ${what}`;
    this.#hash.update(line);
    this.#trace?.(line);
  }

  schedule(delayMs: number, action: () => void): WorldEvent {
    const event = { atMs: this.#nowMs + Math.max(0, delayMs), order: this.#order++, action };
    let at = this.#events.length;
    this.#events.push(event);
    // A binary heap, the earliest first.
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(event, this.#events[parent])) break;
      this.#events[at] = this.#events[parent];
      at = parent;
    }
    this.#events[at] = event;
    return event;
  }

  /** Runs until the moment, or until `isOver`. */
  async runUntil(untilMs: number, isOver: () => boolean, afterStep: () => void): Promise<void> {
    while (!isOver()) {
      const next = this.#events[0];
      if (next === undefined || next.atMs > untilMs) return;
      this.#removeFirst();
      if (next.action === null) continue;
      this.#nowMs = next.atMs;
      this.#steps++;
      next.action();
      await settled();
      afterStep();
    }
  }

  #removeFirst(): void {
    const last = this.#events.pop()!;
    if (this.#events.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.#events.length) break;
      if (child + 1 < this.#events.length && isBefore(this.#events[child + 1], this.#events[child])) child++;
      if (!isBefore(this.#events[child], last)) break;
      this.#events[at] = this.#events[child];
      at = child;
    }
    this.#events[at] = last;
  }
}

const isBefore = (a: WorldEvent, b: WorldEvent): boolean => a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
