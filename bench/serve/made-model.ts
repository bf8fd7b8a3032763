// A fitted model of the usual shape, made and not trained: three item-to-item experts and popularity. Neighbors are mostly
// items of the same group, as with real taste.

import type { G1Model, RelationRows, SparseRows } from '../../src/artifact/g1-model.ts';
import { IdTable } from '../../src/base/id-table.ts';
import { seededRandom } from '../../src/base/seeded-random.ts';
import { GROUP_ITEMS, itemIdOf } from './made-project.ts';

/** Of each item, in each expert: fewer in a large catalog, as a model of it must fit into memory too. */
export function neighborsOf(itemCount: number): number {
  return itemCount > 200_000 ? 40 : 100;
}

export function makeModel(itemCount: number, hasRelations = false): G1Model {
  const itemIds = new IdTable();
  for (let n = 0; n < itemCount; n++) itemIds.intern(itemIdOf(n));
  const popularity = Float32Array.from({ length: itemCount }, (_, n) => 1 / (1 + (n % GROUP_ITEMS)));
  const expert = (name: string, seed: number, rho: number) => ({
    kind: 'item-to-item' as const,
    name,
    rows: neighbors(itemCount, seed),
    query: { kind: 'power' as const, rho },
    settings: {},
  });
  return {
    itemIds,
    warmItemCount: itemCount,
    targetEventType: 'buy',
    typeWeights: { buy: 1 },
    historyCap: 300,
    experts: [
      expert('local_ridge', 1, 0.4),
      expert('walk', 2, 0.4),
      expert('transitions', 3, 0.8),
      { kind: 'popularity', name: 'popularity', values: popularity, settings: {} },
    ],
    blend: { weights: [1, 0.6, 1.2, 0.5], transform: { kind: 'log', c: 0.03 } },
    repeats: { rate: 0, recommendSeen: false },
    vectors: { dimensions: 32, values: new Float32Array(itemCount * 32).fill(0.1) },
    calibration: { tau: 3 },
    coldUsers: null,
    metrics: null,
    settings: {},
    seed: 1,
    ...(hasRelations && { relations: relations(itemCount) }),
  };
}

/** Rows of relations have their strongest entry first. */
function relations(itemCount: number): RelationRows {
  const strongestFirst = (rows: SparseRows): SparseRows => {
    for (let row = 0; row < rows.rowCount; row++) {
      const [from, to] = [rows.offsets[row], rows.offsets[row + 1]];
      rows.values.subarray(from, to).sort().reverse();
    }
    return rows;
  };
  return { similar: strongestFirst(neighbors(itemCount, 4)), together: strongestFirst(neighbors(itemCount, 5)) };
}

/** Columns rise within a row: those below the group, those of the group, those above, each one of equal pieces of its range. */
function neighbors(itemCount: number, seed: number): SparseRows {
  const random = seededRandom(seed);
  const perRow = Math.min(neighborsOf(itemCount), Math.floor(itemCount / 2));
  const far = Math.floor(perRow / 5);
  const offsets = new Uint32Array(itemCount + 1);
  const columns = new Uint32Array(itemCount * perRow);
  const values = new Float32Array(itemCount * perRow);
  const groupItems = Math.min(GROUP_ITEMS, itemCount);
  for (let item = 0; item < itemCount; item++) {
    const start = item * perRow;
    offsets[item + 1] = start + perRow;
    const group = Math.min(Math.floor(item / GROUP_ITEMS) * GROUP_ITEMS, itemCount - groupItems);
    const above = itemCount - group - groupItems;
    const farBelow = Math.min(group, Math.round((far * group) / Math.max(1, group + above)));
    const farAbove = Math.min(above, far - farBelow);
    let at = start;
    const spread = (from: number, length: number, count: number) => {
      const piece = Math.floor(length / count);
      for (let n = 0; n < count; n++) {
        columns[at++] = from + Math.floor((n * length) / count) + random.below(piece);
      }
    };
    spread(0, group, farBelow);
    spread(group, groupItems, perRow - farBelow - farAbove);
    spread(group + groupItems, above, farAbove);
    for (let place = start; place < at; place++) values[place] = random.next() ** 3;
  }
  return { rowCount: itemCount, columnCount: itemCount, offsets, columns, values };
}
