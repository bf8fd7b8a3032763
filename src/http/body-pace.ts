// The slowest pace of a body. A slow body holds memory and a connection, so one that stalls is rejected after a window of
// time instead of at the time limit of the whole request.
import type { Runtime, Timer } from '../base/runtime.ts';

export interface BodyPace {
  readonly windowMs: number;
  /** Bytes that must arrive per window, unless the body ends in it. */
  readonly leastBytes: number;
}

export interface BodyClock {
  readonly paces: {
    readonly large: BodyPace;
    readonly small: BodyPace;
    /** Applies to calls without credentials. */
    readonly anonymous: BodyPace;
  };
  /** Checks once per window until stopped. */
  eachWindow(look: () => void, windowMs: number): () => void;
}

const WHOLE = Number.POSITIVE_INFINITY;
const SWEEP_MS = 1000;

interface Watched {
  look(): void;
  windowMs: number;
  dueMs: number;
}

/** Uses one timer for all bodies, because most arrive before it fires. */
class Sweep {
  readonly #watched = new Set<Watched>();
  readonly #runtime: Runtime;
  #timer: Timer | undefined;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  add(look: () => void, windowMs: number): () => void {
    const watched = { look, windowMs, dueMs: this.#runtime.monotonicMs() + windowMs };
    this.#watched.add(watched);
    this.#timer ??= this.#runtime.every(SWEEP_MS, () => this.#sweep(this.#runtime.monotonicMs()));
    return () => this.#watched.delete(watched);
  }

  #sweep(nowMs: number): void {
    for (const watched of this.#watched) {
      if (nowMs < watched.dueMs) continue;
      watched.dueMs = nowMs + watched.windowMs;
      watched.look();
    }
    if (this.#watched.size > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}

export const BODY_PACES: BodyClock['paces'] = {
  large: { windowMs: 30_000, leastBytes: 240 * 1024 },
  small: { windowMs: 30_000, leastBytes: WHOLE },
  anonymous: { windowMs: 10_000, leastBytes: WHOLE },
};

export function bodyClock(runtime: Runtime): BodyClock {
  const sweep = new Sweep(runtime);
  return { paces: BODY_PACES, eachWindow: (look, windowMs) => sweep.add(look, windowMs) };
}
