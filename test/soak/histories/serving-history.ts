// Which model answered, on each node, against the deployments and shutdowns that one client made. For each node there must be one
// order of them that respects time (linearizable.ts): a switch is one step on a node, and it is acknowledged when every node has
// taken it. Calls on a node that could not reach the database are left out: it serves on with what it knows.
import type { TimedResponse } from '../calls.ts';
import { checkHistory, type Operation } from '../linearizable.ts';
import { hadDatabase, type Nodes } from '../nodes.ts';

/** null: none is deployed */
type Served = string | null;

export class ServingHistory {
  readonly #initial: Served;
  readonly #writes: Operation<Served>[] = [];
  readonly #reads = new Map<string, Operation<Served>[]>();

  constructor(initial: Served) {
    this.#initial = initial;
  }

  /** A deployment (or a shutdown) begins; call the result when it is acknowledged. */
  switches(value: Served): () => void {
    const write = { kind: 'write', value, calledMs: performance.now(), returnedMs: Number.POSITIVE_INFINITY } as const;
    const at = this.#writes.push(write) - 1;
    return () => {
      this.#writes[at] = { ...write, returnedMs: performance.now() };
    };
  }

  read(nodes: Nodes, { place, calledMs, returnedMs }: TimedResponse, value: Served): void {
    if (!hadDatabase(nodes, place, calledMs, returnedMs)) return;
    const reads = this.#reads.get(place.name) ?? [];
    reads.push({ kind: 'read', value, calledMs, returnedMs });
    this.#reads.set(place.name, reads);
  }

  check(): { wrong: string[]; servingReads: number; switchesSeen: number } {
    const wrong: string[] = [];
    let [servingReads, switchesSeen] = [0, 0];
    for (const [name, reads] of this.#reads) {
      const verdict = checkHistory({
        key: name,
        initial: this.#initial,
        operations: [...this.#writes, ...thin(reads)],
      });
      if (verdict !== 'linearizable') wrong.push(`what ${name} served is ${verdict}`);
      servingReads += reads.length;
      switchesSeen += reads.filter(({ value }, n) => n > 0 && reads[n - 1].value !== value).length;
    }
    return { wrong, servingReads, switchesSeen };
  }
}

/** Of equal reads in a row, one after the other, those between the first and the last say nothing more. */
function thin(reads: readonly Operation<Served>[]): Operation<Served>[] {
  return reads.filter(
    ({ value }, n) => n === 0 || n === reads.length - 1 || value !== reads[n - 1].value || value !== reads[n + 1].value,
  );
}
