// Whether what clients saw of one key can have happened in one order that respects time: each operation takes effect at some
// moment between its call and its return, and a read returns what the last write before it stored (linearizability). An operation
// whose return was never seen may take effect at any moment after its call, or never.
//
// The search tries operations that may come first, depth first, and remembers what it has tried (after Wing and Gong, and Lowe).

export interface Operation<V> {
  readonly kind: 'read' | 'write';
  /** what was written, or what was read */
  readonly value: V;
  readonly calledMs: number;
  /** Infinity: the client never heard of it */
  readonly returnedMs: number;
}

export interface History<V> {
  readonly key: string;
  readonly initial: V;
  readonly operations: readonly Operation<V>[];
}

/** Steps of one search: beyond it the history counts as not checked. */
const MAX_STEPS = 200_000;

export type Verdict = 'linearizable' | 'not linearizable' | 'too long to check';
type Value = string | number | boolean | null;

/**
 * A history falls into parts between which no operation was under way. Each part is searched for the values it can end with,
 * from each of those that the part before can have ended with.
 */
export function checkHistory<V extends Value>({ initial, operations }: History<V>): Verdict {
  let values = new Set([initial]);
  for (const part of partsOf(bounded(operations))) {
    const search = new Search(part);
    const ends = new Set<V>();
    for (const value of values) {
      if (!search.collect(value, ends)) return 'too long to check';
    }
    if (ends.size === 0) return 'not linearizable';
    values = ends;
  }
  return 'linearizable';
}

/**
 * Without what says nothing: reads that nobody heard of, and writes that nobody heard of and nobody saw. A write that nobody heard
 * of but a read saw took effect before that read returned.
 */
function bounded<V extends Value>(operations: readonly Operation<V>[]): Operation<V>[] {
  const seenMs = new Map<V, number>();
  const writes = new Map<V, number>();
  for (const { kind, value, returnedMs } of operations) {
    if (kind === 'write') writes.set(value, (writes.get(value) ?? 0) + 1);
    else seenMs.set(value, Math.min(returnedMs, seenMs.get(value) ?? Number.POSITIVE_INFINITY));
  }
  return operations.flatMap((one) => {
    if (one.returnedMs !== Number.POSITIVE_INFINITY) return [one];
    const firstSeenMs = seenMs.get(one.value) ?? Number.POSITIVE_INFINITY;
    if (one.kind === 'read' || firstSeenMs === Number.POSITIVE_INFINITY) return [];
    return [writes.get(one.value) === 1 ? { ...one, returnedMs: firstSeenMs } : one];
  });
}

function partsOf<V extends Value>(operations: readonly Operation<V>[]): Operation<V>[][] {
  const parts: Operation<V>[][] = [];
  let endMs = Number.NEGATIVE_INFINITY;
  for (const one of operations.toSorted((a, b) => a.calledMs - b.calledMs)) {
    if (one.calledMs > endMs) parts.push([]);
    parts.at(-1)!.push(one);
    endMs = Math.max(endMs, one.returnedMs);
  }
  return parts;
}

/** All orders of one part. */
class Search<V extends Value> {
  readonly #all: readonly Operation<V>[];
  readonly #done: Uint8Array;
  readonly #tried = new Set<string>();
  #steps = 0;

  constructor(operations: readonly Operation<V>[]) {
    this.#all = operations;
    this.#done = new Uint8Array(operations.length);
  }

  /** Adds the values that the part can end with; false: there are too many orders. */
  collect(value: V, ends: Set<V>): boolean {
    const all = this.#all;
    const done = this.#done;
    if (++this.#steps > MAX_STEPS) return false;
    const state = `${placesOf(done)}|${typeof value}|${value}`;
    if (this.#tried.has(state)) return true;
    this.#tried.add(state);
    if (all.every((one, n) => done[n] === 1 || one.returnedMs === Number.POSITIVE_INFINITY)) ends.add(value);
    // Whatever returned before another was called comes before it.
    let mustEndBy = Number.POSITIVE_INFINITY;
    for (let n = 0; n < all.length; n++) if (!done[n]) mustEndBy = Math.min(mustEndBy, all[n].returnedMs);
    for (let n = 0; n < all.length; n++) {
      const one = all[n];
      if (one.calledMs > mustEndBy) break;
      if (done[n] || (one.kind === 'read' && one.value !== value)) continue;
      done[n] = 1;
      const isSearched = this.collect(one.kind === 'write' ? one.value : value, ends);
      done[n] = 0;
      if (!isSearched) return false;
    }
    return true;
  }
}

/** Which operations are done, from the first that is not: before it all are. */
function placesOf(done: Uint8Array): string {
  const first = done.indexOf(0);
  if (first < 0) return 'all';
  let text = `${first}`;
  for (let n = first + 1; n < done.length; n++) if (done[n]) text += `,${n}`;
  return text;
}
