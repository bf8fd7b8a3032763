// Turns of the event loop, shared by all work of a thread that is cut into stretches: each stretch gets a turn of its own, so
// that between any two of them, whoever's they are, calls that wait are looked at.
import { setImmediate as nextTurn } from 'node:timers/promises';

let last: Promise<void> = Promise.resolve();

/** Resolves in a turn that no other waiter has. First come, first served. */
export function ownTurn(): Promise<void> {
  last = last.then(() => nextTurn());
  return last;
}
