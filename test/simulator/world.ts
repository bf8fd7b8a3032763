// Virtual time. Everything that happens is an event with a moment; a run takes the earliest one, lets it act until nothing more
// follows from it at that moment, and takes the next. Events at different machines are ordered by delays drawn from the seed, so
// a seed decides the whole run, and the same seed gives the same run.
import { createHash } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { type Random, seededRandom } from '../../src/base/seeded-random.ts';

interface WorldEvent {
  readonly atMs: number;
  readonly order: number;
  readonly settles: boolean;
  action: (() => void) | null;
}

/**
 * Runs everything that follows from settled promises, and returns a function that does so again. Nothing in a simulation waits for
 * the system, so what follows from an event has then happened. A turn of the event loop does the same and takes twenty times as long.
 * Not kept for later: V8 forgets what it compiled of a function that is not used for a while, and could not compile it again.
 */
function microtaskRunner(): () => void {
  setFlagsFromString('--allow-natives-syntax');
  try {
    const runMicrotasks = new Function('%PerformMicrotaskCheckpoint()') as () => void;
    runMicrotasks();
    return runMicrotasks;
  } finally {
    setFlagsFromString('--no-allow-natives-syntax');
  }
}

export class World {
  readonly random: Random;
  readonly #events: WorldEvent[] = [];
  readonly #trace: ((line: string) => void) | null;
  readonly #notes: (number | string)[] = [];
  #nowMs = 0;
  #wallAheadMs = 0;
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

  /** What a clock shows that is right: all may have been moved ahead of virtual time. */
  get wallMs(): number {
    return this.#nowMs + this.#wallAheadMs;
  }

  moveWallClocks(ms: number): void {
    this.#wallAheadMs += ms;
  }

  get steps(): number {
    return this.#steps;
  }

  /** Differs if anything that was noted differs. */
  fingerprint(): string {
    return createHash('sha256').update(this.#notes.join('\n')).digest('hex').slice(0, 16);
  }

  /** Notes what happens, for the fingerprint and the trace. */
  note(what: string): void {
    this.#notes.push(this.#nowMs, what);
    this.#trace?.(`${this.#nowMs} ${what}`);
  }

  /** `settles`: whether promises may follow from the action. Looking for them takes longer than most actions. */
  schedule(delayMs: number, action: () => void, settles = true): WorldEvent {
    const event = { atMs: this.#nowMs + Math.max(0, delayMs), order: this.#order++, settles, action };
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
    // Microtasks cannot be run from within one, which is where the code after an await runs.
    await new Promise<void>((resolve, reject) =>
      setImmediate(() => {
        try {
          this.#runNow(untilMs, isOver, afterStep);
          resolve();
        } catch (error) {
          reject(error);
        }
      }),
    );
  }

  #runNow(untilMs: number, isOver: () => boolean, afterStep: () => void): void {
    const runMicrotasks = microtaskRunner();
    while (!isOver()) {
      const next = this.#events[0];
      if (next === undefined || next.atMs > untilMs) return;
      this.#removeFirst();
      if (next.action === null) continue;
      this.#nowMs = next.atMs;
      this.#steps++;
      next.action();
      if (next.settles) runMicrotasks();
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
