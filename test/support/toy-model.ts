// A small model made by hand: co-occurrence of items over users (the walk in its simplest form) and popularity.
import type { G1Model, SparseRows } from '../../src/artifact/g1-model.ts';

export interface ToyEvent {
  user: string;
  item: string;
  type?: string;
}

export function toyModel(events: readonly ToyEvent[], change: Partial<G1Model> = {}): G1Model {
  const target = change.targetEventType ?? 'buy';
  const itemIds = [...new Set(events.map(({ item }) => item))];
  const users = new Map<string, Set<number>>();
  for (const { user, item, type = target } of events) {
    if (type !== target) continue;
    if (!users.has(user)) users.set(user, new Set());
    users.get(user)!.add(itemIds.indexOf(item));
  }
  const counts = new Float32Array(itemIds.length);
  const pairs = Array.from({ length: itemIds.length }, () => new Map<number, number>());
  for (const items of users.values()) {
    for (const i of items) {
      counts[i]++;
      for (const j of items) if (i !== j) pairs[i].set(j, (pairs[i].get(j) ?? 0) + 1 / items.size);
    }
  }
  const rows = rowsOf(
    pairs.map((row, i) => [...row].map(([j, sum]): [number, number] => [j, sum / Math.sqrt(counts[i])])),
  );
  return {
    itemIds,
    warmItemCount: itemIds.length,
    targetEventType: target,
    typeWeights: { [target]: 1, view: 0.3 },
    historyCap: 50,
    experts: [
      { kind: 'item-to-item', name: 'walk', rows, query: { kind: 'power', rho: 0.4 }, settings: {} },
      { kind: 'popularity', name: 'popularity', values: counts, settings: {} },
    ],
    blend: { weights: [1, 0.1], transform: { kind: 'log', c: 0.3 } },
    repeats: { rate: 0, recommendSeen: false },
    vectors: {
      dimensions: 4,
      values: Float32Array.from({ length: itemIds.length * 4 }, (_, n) => Math.sin(n * 7 + 1)),
    },
    calibration: { tau: 3, coldShare: 0.2 },
    coldUsers: null,
    metrics: null,
    settings: {},
    seed: 1,
    ...change,
  };
}

function rowsOf(rows: readonly (readonly [number, number])[][]): SparseRows {
  const offsets = new Uint32Array(rows.length + 1);
  for (const [n, row] of rows.entries()) offsets[n + 1] = offsets[n] + row.length;
  const entries = rows.flatMap((row) => [...row].sort((a, b) => a[0] - b[0]));
  return {
    rowCount: rows.length,
    columnCount: rows.length,
    offsets,
    columns: Uint32Array.from(entries, ([column]) => column),
    values: Float32Array.from(entries, ([, value]) => value),
  };
}
