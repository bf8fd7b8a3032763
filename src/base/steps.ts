// Long work in short steps: a generator that yields wherever it may be interrupted. A thread that serves calls alternates between
// steps and calls. Other threads run all steps at once.
import { ownTurn } from './turns.ts';

export type Steps<T> = Generator<void, T, void>;

/** Time that all steps together may take per turn of the event loop of a thread that serves calls. */
const SLICE_MS = 5;
let spentMs = 0;

export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

export async function inTurns<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    if (spentMs >= SLICE_MS) {
      await ownTurn();
      spentMs = 0;
    }
    const startedMs = performance.now();
    const isDone = runFor(steps, SLICE_MS - spentMs);
    spend(performance.now() - startedMs);
    if (isDone) return isDone.value;
  }
}

function runFor<T>(steps: Steps<T>, ms: number): { value: T } | null {
  const untilMs = performance.now() + ms;
  do {
    const { done, value } = steps.next();
    if (done) return { value };
  } while (performance.now() < untilMs);
  return null;
}

function spend(ms: number): void {
  if (spentMs === 0) {
    setImmediate(() => {
      spentMs = 0;
    });
  }
  spentMs += ms;
}
