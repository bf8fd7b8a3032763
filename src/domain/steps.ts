// Long work cut into short steps: a generator that yields wherever it may be interrupted. A thread that serves calls runs it in
// turns with them, others at once.
import { setImmediate as nextTurn } from 'node:timers/promises';

export type Steps<T> = Generator<void, T, void>;

/** What a thread that serves may spend in one go. */
const SLICE_MS = 5;

export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

export async function inTurns<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    const startedMs = performance.now();
    do {
      const { done, value } = steps.next();
      if (done) return value;
    } while (performance.now() - startedMs < SLICE_MS);
    await nextTurn();
  }
}
