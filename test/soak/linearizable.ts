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

/** Reads that nobody heard of say nothing and are left out. */
export function checkHistory<V extends string | number | boolean | null>({ initial, operations }: History<V>): Verdict {
  const all = operations
    .filter(({ kind, returnedMs }) => kind === 'write' || returnedMs !== Number.POSITIVE_INFINITY)
    .toSorted((a, b) => a.calledMs - b.calledMs);
  const done = new Uint8Array(all.length);
  const tried = new Set<string>();
  let steps = 0;

  const isOver = (): boolean => all.every((one, n) => done[n] === 1 || one.returnedMs === Number.POSITIVE_INFINITY);

  const search = (value: V): Verdict => {
    if (isOver()) return 'linearizable';
    if (++steps > MAX_STEPS) return 'too long to check';
    const state = `${placesOf(done)}|${value}`;
    if (tried.has(state)) return 'not linearizable';
    tried.add(state);
    // Whatever returned before another was called comes before it.
    let mustEndBy = Number.POSITIVE_INFINITY;
    for (let n = 0; n < all.length; n++) if (!done[n]) mustEndBy = Math.min(mustEndBy, all[n].returnedMs);
    for (let n = 0; n < all.length; n++) {
      const one = all[n];
      if (one.calledMs > mustEndBy) break;
      if (done[n] || (one.kind === 'read' && one.value !== value)) continue;
      done[n] = 1;
      const verdict = search(one.kind === 'write' ? one.value : value);
      if (verdict !== 'not linearizable') return verdict;
      done[n] = 0;
    }
    return 'not linearizable';
  };
  return search(initial);
}

/** Which operations are done, from the first that is not: before it all are. */
function placesOf(done: Uint8Array): string {
  const first = done.indexOf(0);
  if (first < 0) return 'all';
  let text = `${first}`;
  for (let n = first + 1; n < done.length; n++) if (done[n]) text += `,${n}`;
  return text;
}
