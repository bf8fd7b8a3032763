// Turns of the event loop, shared by all long work of a thread. Each step of work gets its own turn, so that waiting calls are
// served between any two steps.
import { setImmediate as nextTurn } from 'node:timers/promises';

let last: Promise<void> = Promise.resolve();

/** Resolves in a turn of its own. First come, first served. */
export function ownTurn(): Promise<void> {
  last = last.then(() => nextTurn());
  return last;
}
