// Calls that have not ended. One that never ends says nothing wrong, so it is found only by looking for it.
import type { Machine } from './machine.ts';

interface OpenCall {
  readonly what: string;
  readonly machine: Machine;
  readonly sinceMs: number;
}

export class OpenCalls {
  readonly #open = new Set<OpenCall>();

  /** Returns the call. */
  watch<T>(what: string, machine: Machine, call: Promise<T>): Promise<T> {
    const open = { what, machine, sinceMs: machine.world.nowMs };
    const end = () => void this.#open.delete(open);
    this.#open.add(open);
    call.then(end, end);
    return call;
  }

  /** On machines that live: a call whose machine was killed never ends. */
  waiting(): OpenCall[] {
    return [...this.#open].filter(({ machine }) => machine.isAlive);
  }
}
